/* A program in C that reads a result and judges work: use_c FILE. Prints what the test compares. */
#define _GNU_SOURCE
#include <fenv.h>
#include <gable.h>
#include <stdio.h>
#include <string.h>

static int fails(const char* what) {
  printf("%s: %s\n", what, gable_error());
  return 1;
}

static int refusals(const gable_machine* machine) {
  gable_roof roof;
  gable_bound bound;
  gable_work work = {"fp32", NULL, 1e9, 1e6, 0, 0, 0, 0};
  if (gable_open("no such product") || !strstr(gable_error(), "no such product"))
    return fails("an unknown name is opened");
  if (gable_open("missing.json") || !strstr(gable_error(), "missing.json")) return fails("a missing file is opened");
  if (gable_open(NULL) || gable_machine_name(NULL)[0] || gable_roof_count(NULL)) return fails("NULL is a machine");
  if (gable_get_roof(machine, gable_roof_count(machine), &roof) != 2) return fails("a roof behind the last one");
  work.dtype = "fp33";
  if (gable_judge(machine, &work, &bound) != 2 || !strstr(gable_error(), "fp33"))
    return fails("an unknown type is judged");
  work.dtype = "fp32";
  work.operations = -1;
  if (gable_judge(machine, &work, &bound) != 2 || !strstr(gable_error(), "operations"))
    return fails("negative work is judged");
  work.operations = 0;
  work.bytes_read = work.bytes_written = 1e308; /* the sum is none: a program that traps that goes on */
  feenableexcept(FE_OVERFLOW);
  gable_judge(machine, &work, &bound);
  fedisableexcept(FE_OVERFLOW);
  return 0;
}

int main(int argc, char** argv) {
  gable_machine* machine;
  gable_work work = {"fp32", NULL, 1e9, 1e6, 0, 0, 0, 1};
  gable_bound bound;
  size_t i;
  if (argc != 2) return 2;
  if (gable_api_version() < GABLE_API_VERSION) return fails("an older library");
  machine = gable_open(argv[1]);
  if (!machine) return fails("open");
  printf("%s (%s)\n", gable_machine_name(machine), gable_machine_basis(machine));
  for (i = 0; i < gable_roof_count(machine); ++i) {
    gable_roof roof;
    if (gable_get_roof(machine, i, &roof)) return fails("roof");
    printf("roof\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.17g\t%.17g\t%.17g\n", (int)roof.kind, roof.label, roof.level, roof.unit,
           roof.dtype, roof.operating_point, roof.access, roof.value, roof.low, roof.high);
  }
  for (i = 0; i < gable_point_count(machine); ++i) {
    gable_point point;
    if (gable_get_point(machine, i, &point)) return fails("point");
    printf("point\t%s\t%s\t%s\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\n", point.id, point.status, point.limit,
           point.time_s, point.low_s, point.high_s, point.operations, point.bytes, point.bound_s, point.fraction);
  }
  if (gable_judge(machine, &work, &bound)) return fails("judge");
  printf("bound %.17g %s\n", bound.time_s, bound.limit);
  if (refusals(machine)) return 1;
  gable_close(machine);
  gable_close(NULL);
  return 0;
}
