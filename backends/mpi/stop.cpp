#include "backends/mpi/stop.hpp"

#include <signal.h>
#include <unistd.h>

namespace gable::mpi {
namespace {

constexpr unsigned grace_s = 10;
volatile sig_atomic_t asked = 0;

}  // namespace

void note_stop_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    if (asked == 0) ::alarm(grace_s);  // SIGALRM ends a process that does not expect it
    asked = 1;
  };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT}) ::sigaction(signal, &action, nullptr);
}

bool stop_asked() { return asked != 0; }

}  // namespace gable::mpi
