/* gable.h: what programs in C, and in every language that calls C, read of Gable's results. libgable.so has it.
 *
 * A machine is the roofs of one device: of a result file, or of a product of the vendors' catalogue. Rates are in
 * flop/s, op/s or byte/s, times in s. Functions that can fail say so by their result, and gable_error() says why in one
 * line. Several threads may read one machine at the same time. Texts belong to the machine and end with it.
 *
 * GABLE_API_VERSION grows by one when something is added, under a new name. Nothing that is here changes its meaning or
 * its members, or goes away, in libgable.so.1.
 */
#ifndef GABLE_H
#define GABLE_H

#include <stddef.h>

#define GABLE_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface that the library has, to be compared with GABLE_API_VERSION. */
int gable_api_version(void);
/* The version of Gable: "0.1.0". */
const char* gable_version(void);
/* Why the last call of this thread failed; empty before the first one does. Valid until the next call of this thread.
 */
const char* gable_error(void);

typedef struct gable_machine gable_machine;

/* What binds: a rate of arithmetic, a bandwidth of memory, the fixed cost of a launch, a link between devices. */
typedef enum gable_kind {
  GABLE_NONE = 0,
  GABLE_COMPUTE = 1,
  GABLE_BANDWIDTH = 2,
  GABLE_OVERHEAD = 3,
  GABLE_LINK = 4
} gable_kind;

typedef struct gable_roof {
  gable_kind kind;
  const char* label;           /* "vector fp64 (burst)", "DRAM triad (ordinary)" */
  const char* level;           /* of a bandwidth or link: "L1", "DRAM", "NVLink"; else empty */
  const char* unit;            /* of arithmetic: "scalar", "vector", "matrix", "exp", "convert", "divide"; else empty */
  const char* dtype;           /* of arithmetic: "fp64"; else empty */
  const char* operating_point; /* of arithmetic: "burst", "sustained", "library", "none" of a datasheet; else empty */
  const char* access;          /* of a bandwidth: "read", "triad" …, "none" of a datasheet; else empty */
  double value;                /* flop/s or op/s, byte/s; of an overhead s */
  double low, high;            /* 95 % interval; equal to the value where there is none */
} gable_roof;

/* A measured operator or kernel. */
typedef struct gable_point {
  const char* id;
  const char* op;
  const char* implementation;
  const char* params; /* "m=4096,n=4096" */
  const char* dtype;
  const char* status; /* "ok", "suspect" …: only the figures of "ok" are to be relied on */
  double time_s, low_s, high_s;
  double operations; /* flop, or op of integers */
  double bytes;
  const char* limit; /* label of the roof that binds; empty where no roof applies */
  double bound_s;    /* least time by the roofs of its result; 0 where none applies */
  double fraction;   /* bound_s / time_s; 0 where none applies */
} gable_point;

/* "FILE.json", "FILE.json:DEVICE" of a file with several devices, else a product of the catalogue ("H100 SXM"). NULL if
 * there is none. To be closed. */
gable_machine* gable_open(const char* name);
/* Takes NULL, too. */
void gable_close(gable_machine* machine);
/* "Intel(R) Xeon(R) Processor". */
const char* gable_machine_name(const gable_machine* machine);
/* "measured, FILE.json", "datasheet, stated". */
const char* gable_machine_basis(const gable_machine* machine);

size_t gable_roof_count(const gable_machine* machine);
/* Roof `index` of gable_roof_count(). 0, or 2 if there is none. */
int gable_get_roof(const gable_machine* machine, size_t index, gable_roof* roof);

/* None of a product of the catalogue. */
size_t gable_point_count(const gable_machine* machine);
/* Point `index` of gable_point_count(). 0, or 2 if there is none. */
int gable_get_point(const gable_machine* machine, size_t index, gable_point* point);

/* Work that is to be judged. */
typedef struct gable_work {
  const char* dtype;    /* type of storage: "fp64", "bf16" … */
  const char* unit;     /* "vector", "matrix", …; NULL: products, whichever unit is the faster */
  double operations;    /* flop (an FMA counts 2) or op; 0: no arithmetic */
  double bytes_read;    /* byte, each input once */
  double bytes_written; /* byte, each output once */
  double working_set;   /* byte touched, each once, which decides the level that data stay in; 0: all bytes */
  int launches;         /* 0: one */
  int cold;             /* 1: data come from main memory; 0: from where they stay between runs */
} gable_work;

typedef struct gable_bound {
  double time_s;       /* least time */
  gable_kind kind;     /* of the limit */
  const char* limit;   /* label of the roof that decides. Valid until the next gable_judge() of this thread */
  const char* missing; /* roofs that the bound was made without, "exp fp32, L2 bandwidth"; as `limit` */
} gable_bound;

/* Least time of the work under the machine's roofs, docs/method.md. 0, or 2: a type or unit that is not known, a figure
 * that is negative or not finite, no roof that applies. */
int gable_judge(const gable_machine* machine, const gable_work* work, gable_bound* bound);

#ifdef __cplusplus
}
#endif

#endif
