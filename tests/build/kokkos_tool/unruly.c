/* unruly WAY: a program that does with the three calls what programs do. fork: forks while threads are inside of regions, and the children
 * end by exit(); one records a region of its own first. handler: a signal's handler ends the program. null: names that are none. */
#define _DEFAULT_SOURCE
#include <gable_region.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop = 0;

static void* busy(void* unused) {
  while (!stop) {
    gable_region_begin("busy");
    gable_region_end("busy");
  }
  return unused;
}

static void leave(int unused) {
  (void)unused;
  exit(5);
}

static int forks(void) {
  pthread_t threads[2];
  int i, hung = 0;
  for (i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, busy, NULL);
  for (i = 0; i < 20; ++i) {
    int waited = 0;
    const pid_t child = fork();
    if (child == 0) {
      if (i == 0) {
        gable_region_begin("of the child");
        gable_region_end("of the child");
      }
      exit(0);
    }
    while (waited < 500 && waitpid(child, NULL, WNOHANG) == 0) {
      usleep(10000);
      ++waited;
    }
    if (waited == 500) {
      ++hung;
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
    }
  }
  stop = 1;
  for (i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return hung;
}

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "";
  if (strcmp(way, "fork") == 0) return forks();
  if (strcmp(way, "null") == 0) {
    gable_region_begin(NULL);
    gable_region_work(NULL, 2, 3);
    gable_region_end(NULL);
  }
  if (strcmp(way, "handler") == 0) {
    signal(SIGALRM, leave);
    ualarm(100000, 0);
    for (;;) {
      gable_region_begin("busy");
      gable_region_end("busy");
    }
  }
  return 0;
}
