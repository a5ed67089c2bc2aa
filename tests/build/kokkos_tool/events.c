/* events TOOL: what a Kokkos program on a GPU tells its tool, without Kokkos and without a GPU; it ends without
 * Kokkos::finalize(). */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*init_call)(int, uint64_t, uint32_t, void*);
typedef void (*begin_call)(const char*, uint32_t, uint64_t*);
typedef void (*end_call)(uint64_t);
typedef void (*push_call)(const char*);
typedef void (*pop_call)(void);
typedef struct {
  char name[64];
} space_handle;
typedef void (*copy_call)(space_handle, const char*, const void*, space_handle, const char*, const void*, uint64_t);

static void* tool;
static void* named(const char* name) { return dlsym(tool, name); }

int main(int argc, char** argv) {
  const uint32_t open_mp = 1u << 24, cuda = (2u << 24) + 1;
  uint64_t id = 0;
  init_call init;
  begin_call begin_for, begin_reduce;
  end_call end_for, end_reduce;
  push_call push;
  pop_call pop, end_copy;
  copy_call begin_copy;
  space_handle full, host = {"Host"};
  tool = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!tool) return 2;
  *(void**)&init = named("kokkosp_init_library");
  *(void**)&begin_for = named("kokkosp_begin_parallel_for");
  *(void**)&begin_reduce = named("kokkosp_begin_parallel_reduce");
  *(void**)&end_for = named("kokkosp_end_parallel_for");
  *(void**)&end_reduce = named("kokkosp_end_parallel_reduce");
  *(void**)&push = named("kokkosp_push_profile_region");
  *(void**)&pop = named("kokkosp_pop_profile_region");
  *(void**)&begin_copy = named("kokkosp_begin_deep_copy");
  *(void**)&end_copy = named("kokkosp_end_deep_copy");
  if (!begin_copy || !end_copy) return 2;
  if (!init || !begin_for || !begin_reduce || !end_for || !end_reduce || !push || !pop) return 2;
  init(0, 20210623, 0, NULL);
  memset(full.name, 'A', sizeof full.name); /* strncpy() leaves no 0 behind a long name */
  begin_copy(full, "label", NULL, host, "label", NULL, 8);
  end_copy();
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
