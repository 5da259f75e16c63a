// One place for signals, so that whatever the launcher is doing, a signal ends it in order.

const NAMES = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT'];
const atEnd = new Set();
let receiver = dieOf;

export function listen() {
  for (const name of NAMES) process.on(name, () => receiver(name));
}

/** From now on `next(name)` gets every signal; returns a function that puts the former receiver back. */
export function receiveSignals(next) {
  const former = receiver;
  receiver = next;
  return () => {
    receiver = former;
  };
}

/** `undo` runs when a signal ends the launcher; returns a function that forgets it. */
export function onDeath(undo) {
  atEnd.add(undo);
  return () => atEnd.delete(undo);
}

/** Ends this process as the signal would have, so that whoever started it sees the same end. */
export function dieOf(name) {
  for (const undo of atEnd) undo(name);
  process.removeAllListeners(name);
  process.kill(process.pid, name);
  setTimeout(() => process.exit(1), 1000);
}
