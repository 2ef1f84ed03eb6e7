// Questions to the supervisor, for example reads of a data store, and their answers.
//
// The number of pending questions is limited. Others are queued here, so that a flood slows only its own component.

const asked = new Map();
const waiting = [];
let mostAtOnce = 1;
let lastNumber = 0;

export function setMostAsks(most) {
  mostAtOnce = most;
}

/** Asks on behalf of an invocation. If the invocation ends first, the promise never settles. */
export function ask(invocation, op, args) {
  if (invocation.ended) {
    return Promise.reject(new Error(`${op} was called after the invocation had ended: nothing was done`));
  }
  lastNumber += 1;
  const number = lastNumber;
  const { promise, resolve, reject } = Promise.withResolvers();
  waiting.push({ invocation, number, op, args, resolve, reject });
  sendNext();
  return promise;
}

export function answered({ n, v, err }) {
  const question = asked.get(n);
  asked.delete(n);
  sendNext();
  if (question === undefined || question.invocation.ended) return;
  if (err === undefined) question.resolve(v);
  else question.reject(new Error(err));
}

function sendNext() {
  while (waiting.length > 0 && asked.size < mostAtOnce) {
    const question = waiting.shift();
    if (question.invocation.ended) {
      question.invocation.log(
        "error",
        "error",
        `the invocation had ended before ${question.op} had its turn: await it`,
      );
      continue;
    }
    asked.set(question.number, question);
    question.invocation.ask(question.number, question.op, question.args);
  }
}
