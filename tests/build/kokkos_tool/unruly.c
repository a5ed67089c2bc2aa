/* unruly WAY: a program that does with the three calls what programs do. fork: forks while threads are inside of
 * regions, and the children end by exit(); one records a region of its own first. clone: forks past the C library.
 * memory: forks without memory. handler: a signal's handler ends the program; interrupt: it records. cancel: a thread
 * is cancelled. null: names that are none, from another folder, with traps of arithmetic. data: a file is opened where
 * the standard error stream was closed. again: starts this program once more. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <gable_region.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

static void record(int unused) {
  (void)unused;
  gable_region_begin("of the handler");
  gable_region_end("of the handler");
}

static void* cancelled(void* unused) {
  pthread_cancel(pthread_self());
  gable_region_end("what never began"); /* is told, and write() is where threads are cancelled */
  pthread_testcancel();
  return unused;
}

static int cancels(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, cancelled, NULL);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED ? 0 : 1;
}

static int child_without_memory(void) {
  const struct rlimit none = {1, 1};
  size_t size;
  int status = 0;
  pid_t child;
  setrlimit(RLIMIT_AS, &none);
  for (size = 1 << 20; size >= 8; size /= 2) {
    char* volatile taken;
    while ((taken = malloc(size)) != NULL) *taken = 1;
  }
  child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, &status, 0);
  return status;
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
  if (strcmp(way, "memory") == 0) return child_without_memory();
  if (strcmp(way, "cancel") == 0) return cancels();
  if (strcmp(way, "null") == 0) {
    if (chdir("/") != 0) return 1;
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    errno = 0;
    gable_region_begin(NULL);
    gable_region_work(NULL, 2, 3);
    gable_region_work(NULL, NAN, 3);
    gable_region_end(" ");
    gable_region_end("what never began");
    return errno;
  }
  if (strcmp(way, "data") == 0) {
    const int file = open(words[2], O_WRONLY | O_CREAT, 0666);
    record(0);
    return file == STDERR_FILENO && write(file, "data", 4) == 4 ? 0 : 1;
  }
  if (strcmp(way, "clone") == 0) {
    record(0);
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) > 0) wait(NULL);
  }
  if (strcmp(way, "again") == 0) {
    gable_region_begin("outer");
    if (system("./unruly null") != 0) return 1;
    gable_region_end("outer");
  }
  if (strcmp(way, "interrupt") == 0) {
    int i;
    signal(SIGALRM, record);
    ualarm(1000, 1000);
    for (i = 0; i < 500000; ++i) record(0);
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
