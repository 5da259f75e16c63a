// The page's one module. Everything it does, the forms do without it; it adds what moves.

const root = document.documentElement;
const { base, boot: drawnByBoot, conversation, position, token } = document.body.dataset;
const byId = (id) => document.getElementById(id);
const policy = globalThis.trustedTypes?.createPolicy('hermod', { createHTML: (made) => made }) ?? {
  createHTML: (made) => made,
};

root.classList.add('js');
const signInCode = takeCode();
if (document.body.classList.contains('login')) startLogin(signInCode);
if (document.body.classList.contains('chat')) startChat();

/** The one-time code leaves the address bar before anything else happens. */
function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get('t');
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Posts form fields and reads JSON back; throws an Error with a sentence for the person. */
async function post(path, fields) {
  let answer;
  try {
    answer = await fetch(path, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams(fields),
    });
  } catch {
    throw new Error('hermod does not answer. Try again in a moment.');
  }
  const body = answer.status === 204 ? {} : await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  throw new Error([body.error?.message, body.error?.fix].filter(Boolean).join(' ') || 'hermod could not do this.');
}

function startLogin(code) {
  const form = byId('login');
  const say = (text) => {
    byId('login-state').textContent = text;
  };
  const signIn = async (typed) => {
    say('Signing in …');
    try {
      await post(form.action, { code: typed });
      location.replace(location.pathname + location.search);
    } catch (error) {
      say(error.message);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void signIn(form.elements.code.value);
  });
  if (code !== null) void signIn(code);
  // A fresh link opened in this tab changes only what stands behind the #.
  addEventListener('hashchange', () => {
    const fresh = takeCode();
    if (fresh !== null) void signIn(fresh);
  });
}

function startChat() {
  const log = byId('log');
  const list = byId('messages');
  const field = byId('text');
  const composer = byId('say');
  const here = `${base}/c/${conversation}`;

  // Following: new text is scrolled to only for those who were at the end.
  const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 96;
  const toEnd = () => {
    log.scrollTop = log.scrollHeight;
  };
  const keepEnd = (change) => {
    const follow = atEnd();
    change();
    if (follow) toEnd();
    byId('jump').hidden = follow || atEnd();
  };
  log.addEventListener('scroll', () => {
    if (atEnd()) byId('jump').hidden = true;
  });
  byId('jump').addEventListener('click', () => {
    toEnd();
    field.focus();
  });

  let title = document.title;

  // Messages: one element an id, in the order of ids, whatever comes how often.
  function build(message) {
    const template = document.createElement('template');
    template.innerHTML = policy.createHTML(message.html);
    const element = template.content.firstElementChild;
    for (const input of element.querySelectorAll('input[name=token]')) input.value = token;
    enhance(element);
    return element;
  }

  function place(message) {
    const element = build(message);
    const old = byId(`m${message.id}`);
    if (old) {
      if (old.dataset.version === element.dataset.version) return;
      const focused = old.contains(document.activeElement);
      old.replaceWith(element);
      if (focused) element.focus({ preventScroll: true });
      return;
    }
    const next = [...list.children].find((other) => Number(other.dataset.id) > Number(message.id));
    list.insertBefore(element, next ?? null);
  }

  function show(message) {
    const link = listed(message);
    if (message.conversation !== conversation) {
      if (message.side === 'hermod' && !message.as) link?.classList.add('unread');
      return;
    }
    const before = byId(`m${message.id}`);
    const wasDraft = before?.classList.contains('draft');
    keepEnd(() => {
      place(message);
      byId('welcome')?.remove();
      if (message.side === 'hermod' && message.as !== 'progress') setTyping(0);
    });
    if (message.side === 'hermod' && !message.as && (!before || wasDraft)) announce(message);
    refreshStop();
  }

  /** A conversation is named after the first words of the person there. */
  function listed(message) {
    const href = `${base}/c/${message.conversation}`;
    const known = document.querySelector(`#conversations a[href="${href}"]`);
    const words = message.side === 'person' ? build(message).querySelector('.text').textContent : '';
    if (known || words === '' || words.startsWith('/')) return known;
    const link = document.createElement('a');
    link.href = href;
    link.textContent = words.slice(0, 60);
    if (message.conversation === conversation) {
      link.setAttribute('aria-current', 'page');
      document.querySelector('h1').textContent = link.textContent;
      title = `${link.textContent} · hermod`;
      document.title = title;
    }
    const item = document.createElement('li');
    item.append(link);
    byId('conversations').prepend(item);
    return link;
  }

  function announce(message) {
    // biome-ignore lint/performance/useDomNodeTextContent: textContent glues the words of two lines together.
    const shown = byId(`m${message.id}`).querySelector('.text')?.innerText ?? '';
    const text = shown.replace(/\s+/g, ' ').trim().slice(0, 200);
    byId('said').textContent = message.asks ? `hermod asks: ${text}` : `hermod answered: ${text}`;
    if (document.hidden) document.title = `${message.asks ? 'Question' : 'Answer'} · ${title}`;
  }
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) document.title = title;
  });

  // What only a browser knows or can do.
  function enhance(element) {
    for (const time of element.querySelectorAll('time')) {
      const at = new Date(time.dateTime);
      const today = at.toDateString() === new Date().toDateString();
      const clock = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
      time.textContent = today ? clock : `${at.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${clock}`;
      time.title = at.toLocaleString([], { hourCycle: 'h23' });
    }
    for (const figure of element.querySelectorAll('figure.code')) {
      const copy = document.createElement('button');
      copy.type = 'button';
      copy.className = 'copy';
      copy.textContent = 'Copy';
      copy.addEventListener('click', async () => {
        await navigator.clipboard?.writeText(figure.querySelector('code').textContent);
        copy.textContent = 'Copied';
        setTimeout(() => {
          copy.textContent = 'Copy';
        }, 1500);
      });
      figure.append(copy);
    }
  }

  // Working: dots while core says so, a stop button while there is something to stop.
  let typingTimer;
  function setTyping(forMs) {
    clearTimeout(typingTimer);
    keepEnd(() => {
      byId('typing').hidden = forMs === 0;
    });
    if (forMs > 0) typingTimer = setTimeout(() => setTyping(0), forMs + 500);
    refreshStop();
  }
  function refreshStop() {
    const busy = !byId('typing').hidden || list.querySelector('.draft, .card.open');
    byId('stop').hidden = !busy;
  }

  // Sending. The id stays until the message is kept, so trying again never says it twice.
  let sendId = crypto.randomUUID();
  let sending = false;
  async function send(text, phrase) {
    if (sending || text.trim() === '') return;
    sending = true;
    composer.setAttribute('aria-busy', 'true');
    byId('notice').textContent = '';
    try {
      const answer = await post(`${here}/say`, { token, id: phrase ? crypto.randomUUID() : sendId, text });
      if (!phrase) {
        sendId = crypto.randomUUID();
        if (field.value === text) field.value = '';
        keepText();
        grow();
      }
      show(answer.message);
      toEnd();
      byId('notice').textContent = answer.note;
    } catch (error) {
      byId('notice').textContent = `Not sent. ${error.message}`;
    } finally {
      sending = false;
      composer.removeAttribute('aria-busy');
    }
  }

  async function press(form, button) {
    const fields = new FormData(form, button);
    const card = form.closest('.msg');
    const buttons = [...card.querySelectorAll('button')];
    // The card may have been drawn anew by the time the answer is there.
    const say = (text) => {
      (byId(card.id) ?? card).querySelector('.note').textContent = text;
    };
    for (const other of buttons) other.disabled = true;
    try {
      say((await post(form.action, fields)).note);
    } catch (error) {
      say(error.message);
    } finally {
      for (const other of buttons) other.disabled = false;
    }
  }

  document.addEventListener('submit', (event) => {
    const form = event.target;
    const path = new URL(form.action).pathname;
    if (path === `${here}/say`) {
      event.preventDefault();
      const phrase = event.submitter?.value ?? '';
      void send(phrase || field.value, phrase !== '');
    } else if (path === `${here}/press`) {
      event.preventDefault();
      void press(form, event.submitter);
    }
  });

  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    composer.requestSubmit(byId('send'));
  });
  const grow = () => {
    if (CSS.supports('field-sizing', 'content')) return;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight}px`;
  };
  const keepText = () => sessionStorage.setItem(`text:${conversation}`, field.value);
  field.addEventListener('input', () => {
    grow();
    keepText();
  });

  // Earlier messages go in above without moving what is read.
  byId('earlier')?.addEventListener('click', async (event) => {
    event.preventDefault();
    const first = list.firstElementChild?.dataset.id;
    const answer = await fetch(`${here}/messages?before=${first}`, { headers: { accept: 'application/json' } });
    if (!answer.ok) return location.assign(event.target.href);
    const { messages, more } = await answer.json();
    const below = log.scrollHeight - log.scrollTop;
    messages.forEach(place);
    log.scrollTop = log.scrollHeight - below;
    if (!more) event.target.closest('p').remove();
  });

  // The event stream: one a browser. The tab that holds the lock reads it and tells the others.
  let at = position;
  let knownBoot = drawnByBoot;
  const channel = globalThis.BroadcastChannel ? new BroadcastChannel(`hermod${base}`) : undefined;
  const received = {
    hello({ boot }) {
      if (!('live' in document.body.dataset)) bar('');
      document.body.dataset.live = boot;
      if (boot !== knownBoot) {
        bar('hermod restarted', 4000);
        setTyping(0);
      }
      knownBoot = boot;
    },
    message: show,
    typing(event) {
      if (event.conversation === conversation) setTyping(event.forMs);
    },
    resync: () => void resync(),
    // A tab that opened later asks whether anybody reads.
    who() {
      if (source?.readyState === EventSource.OPEN) channel.postMessage({ type: 'hello', data: { boot: knownBoot } });
    },
    lost() {
      delete document.body.dataset.live;
      bar('Connection lost. Trying again …');
    },
    out() {
      delete document.body.dataset.live;
      bar('You are signed out here. Run hermod open for a new address.');
    },
  };
  const take = ({ type, data, id }) => {
    if (id && type !== 'resync') at = id;
    received[type]?.(data);
  };
  const spread = (event) => {
    take(event);
    channel?.postMessage(event);
  };
  channel?.addEventListener('message', (event) => take(event.data));

  /** Reads the newest messages again; what was missed in between is further back than a page only after a long absence. */
  async function resync() {
    const answer = await fetch(`${here}/messages`, { headers: { accept: 'application/json' } }).catch(() => undefined);
    if (answer?.status === 401) return received.out();
    if (!answer?.ok) return setTimeout(resync, 2000);
    const { messages, more, position: now } = await answer.json();
    const last = list.lastElementChild?.dataset.id;
    if (more && last && Number(messages[0]?.id) > Number(last)) return location.reload();
    messages.forEach(show);
    at = now;
  }

  let source;
  let wanted = false;
  let tries = 0;
  let lostTimer;
  function connect() {
    if (!wanted) return;
    source = new EventSource(`${base}/events?after=${encodeURIComponent(at)}`);
    for (const type of ['hello', 'message', 'typing', 'resync']) {
      source.addEventListener(type, (event) => {
        tries = 0;
        clearTimeout(lostTimer);
        lostTimer = undefined;
        spread({ type, data: JSON.parse(event.data), id: event.lastEventId });
      });
    }
    source.addEventListener('error', () => {
      source.close();
      lostTimer ??= setTimeout(() => spread({ type: 'lost' }), 3000);
      setTimeout(reconnect, Math.min(15_000, 1000 * 2 ** tries++) * (0.8 + Math.random() * 0.4));
    });
  }
  // An event source does not say why it failed; a plain request does.
  async function reconnect() {
    const answer = await fetch(`${here}/messages?before=1`, { headers: { accept: 'application/json' } }).catch(
      () => undefined,
    );
    if (answer?.status !== 401) return connect();
    clearTimeout(lostTimer);
    spread({ type: 'out' });
  }

  function listen() {
    if (!navigator.locks || !channel) return listenWhileVisible();
    void navigator.locks.request(`hermod-events${base}`, () => {
      wanted = true;
      connect();
      return new Promise(() => {});
    });
    channel.postMessage({ type: 'who' });
    void resync();
  }
  function listenWhileVisible() {
    const toggle = () => {
      source?.close();
      wanted = !document.hidden;
      connect();
    };
    document.addEventListener('visibilitychange', toggle);
    toggle();
  }

  let barTimer;
  function bar(text, forMs = 0) {
    clearTimeout(barTimer);
    byId('bar').textContent = text;
    byId('bar').hidden = text === '';
    if (forMs > 0) barTimer = setTimeout(() => bar(''), forMs);
  }

  enhance(document);
  field.value ||= sessionStorage.getItem(`text:${conversation}`) ?? '';
  field.required = false;
  grow();
  refreshStop();
  if (location.hash === '') toEnd();
  if (matchMedia('(pointer: fine)').matches) field.focus({ preventScroll: true });
  listen();
}
