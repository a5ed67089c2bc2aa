/* gable_region.h: times and work of named parts of any program, as points for `gable report --points`
 * (docs/applications.md). Link with -lgable-region. Regions nest; each thread has its own, and names of several threads
 * are added up. The files are written when the program ends: GABLE_REGION_OUTPUT.kernels.csv and .points.csv (without
 * the variable gable-region-HOST-PID; tasks of MPI and Slurm add their number). GABLE_REGION_DTYPE is the type of the work, fp64 if it is not set.
 * A forked child begins with nothing recorded and writes files of its own if it records something (its number behind the name). Names that are null
 * or blank are "(no name)". What a handler of a signal calls while it interrupts one of these is left out.
 */
#ifndef GABLE_REGION_H
#define GABLE_REGION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a part of the calling thread's work. */
void gable_region_begin(const char* name);
/* Ends it. A name that is not the innermost region's is told once, and nothing ends. */
void gable_region_end(const char* name);
/* Adds operations (an FMA counts 2) and bytes that the region of that name does, of all its calls together. */
void gable_region_work(const char* name, double flops, double bytes);

#ifdef __cplusplus
}
#endif

#endif
