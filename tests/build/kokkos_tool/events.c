/* events TOOL: what a Kokkos program on a GPU tells its tool, without Kokkos and without a GPU; it ends without
 * Kokkos::finalize(). */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef void (*init_call)(int, uint64_t, uint32_t, void*);
typedef void (*begin_call)(const char*, uint32_t, uint64_t*);
typedef void (*end_call)(uint64_t);
typedef void (*push_call)(const char*);
typedef void (*pop_call)(void);

static void* tool;
static void* named(const char* name) { return dlsym(tool, name); }

int main(int argc, char** argv) {
  const uint32_t open_mp = 1u << 24, cuda = (2u << 24) + 1;
  uint64_t id = 0;
  init_call init;
  begin_call begin_for, begin_reduce;
  end_call end_for, end_reduce;
  push_call push;
  pop_call pop;
  tool = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!tool) return 2;
  *(void**)&init = named("kokkosp_init_library");
  *(void**)&begin_for = named("kokkosp_begin_parallel_for");
  *(void**)&begin_reduce = named("kokkosp_begin_parallel_reduce");
  *(void**)&end_for = named("kokkosp_end_parallel_for");
  *(void**)&end_reduce = named("kokkosp_end_parallel_reduce");
  *(void**)&push = named("kokkosp_push_profile_region");
  *(void**)&pop = named("kokkosp_pop_profile_region");
  if (!init || !begin_for || !begin_reduce || !end_for || !end_reduce || !push || !pop) return 2;
  init(0, 20210623, 0, NULL);
  push("device");
  begin_for("axpy", cuda, &id);
  end_for(id);
  pop();
  push("host");
  begin_for("axpy", open_mp, &id);
  end_for(id);
  begin_reduce("axpy", open_mp, &id);
  end_reduce(id);
  begin_for("fill", open_mp, &id);
  end_for(id);
  begin_for("nothing", open_mp, &id);
  end_for(id);
  pop();
  return 0;
}
