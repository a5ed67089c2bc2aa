#pragma once

/// SIGTERM and SIGINT, which launchers and batch systems send to every rank.
namespace gable::mpi {

/// A signal asked a rank to stop: the leader ends the measurement and keeps what there is. No std::exception, so that
/// nobody takes it for a row that failed.
struct Stopped {};

/// From here on both signals are only noted. A process that has not ended 10 s later ends by itself: the others may be
/// gone, and nobody waits for them forever.
void note_stop_signals();
bool stop_asked();

}  // namespace gable::mpi
