# gnuplot -e "file='plot-data.json'; output='roofline.svg'" roofline.gp
# A roofline of your own out of `gable report result.json --output plot-data.json`. plot_data_columns.py lies beside this
# script; name its folder with -e "folder='…'" where you call it from elsewhere.
if (!exists("file")) file = 'plot-data.json'
if (!exists("output")) output = 'roofline.svg'
if (!exists("folder")) folder = '.'
columns(what) = sprintf("< python3 '%s/plot_data_columns.py' '%s' %s", folder, file, what)
set terminal svg size 900,600 background rgb 'white'
set output output
set logscale xy
set xlabel 'Arithmetic intensity (FLOP/byte)'
set ylabel 'Performance (FLOP/s)'
set format y '%.0s %c'
set key off
plot columns('roofs') using 1:2 with lines lw 2 lc rgb '#0072b2', \
     columns('points') using 1:2 with points pt 7 lc rgb '#d55e00', \
     columns('points') using 1:2:3 with labels offset 0,0.8 font ',9' noenhanced
