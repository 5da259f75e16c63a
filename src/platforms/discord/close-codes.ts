/** A goodbye after which dialling again is useless, and the sentence for the operator. */
export interface FatalClose {
  readonly auth: boolean;
  readonly reason: string;
}

export const TOKEN_REFUSED: FatalClose = { auth: true, reason: 'token refused; put a new one into .env and restart' };

const FATAL: ReadonlyMap<number, FatalClose> = new Map([
  [4004, TOKEN_REFUSED],
  [4010, broken('the shard was refused')],
  [4011, { auth: false, reason: 'the bot is in too many guilds for one connection; take it out of some and restart' }],
  [4012, broken('this version of the gateway is gone')],
  [4013, broken('the intents are not valid')],
  [
    4014,
    {
      auth: false,
      reason:
        'the Message Content intent is not enabled; switch it on in the portal (discord.com/developers) under Bot and restart',
    },
  ],
]);

function broken(what: string): FatalClose {
  return { auth: false, reason: `${what}; update hermod and restart` };
}

/** Undefined: the library, or we, dial again. */
export function fatalClose(code: number): FatalClose | undefined {
  return FATAL.get(code);
}
