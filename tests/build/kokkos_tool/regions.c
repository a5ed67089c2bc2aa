/* A C program that says what its parts do. */
#include <gable_region.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 1 << 20;
  double* x = malloc(sizeof(double) * (size_t)n);
  double sum = 0;
  int i, step;
  if (!x) return 1;
  for (i = 0; i < n; ++i) x[i] = i;
  gable_region_begin("all");
  for (step = 0; step < 10; ++step) {
    gable_region_begin("sum, of \"x\"");
    for (i = 0; i < n; ++i) sum += x[i] * step;
    gable_region_work("sum, of \"x\"", 2.0 * n, 8.0 * n);
    gable_region_end("sum, of \"x\"");
  }
  gable_region_begin("late");
  gable_region_end("late");
  gable_region_work("late", 7, 9); /* of a region that is over */
  gable_region_end("other");
  gable_region_end("all");
  gable_region_begin("open");
  gable_region_work("open", 1, 1);
  free(x);
  printf("%g\n", sum);
  return 0;
}
