// Who owns the view: the finger while it moves, Python otherwise (mount.py tells the story).

const REST_MS = 150;
const FLUSHES = ["pointerdown", "keydown"];
const STALE_MS = 10000;
const PAYLOADS = new Map(); // revision -> {header, arrays}; the few last ones, shared by all mounts of a component
const MOUNTS = new WeakMap();

function same(a, b) {
  return a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b);
}

function makeLink() {
  return { view: null, agreed: null, seq: 0, sentAt: 0, timer: 0, rev: null, payload: null, component: null, flush: null };
}

function send(link, have = link.rev) {
  clearTimeout(link.timer);
  link.timer = 0;
  link.seq += 1;
  link.sentAt = performance.now();
  link.agreed = { ...link.view };
  link.component.setStateValue("view", { ...link.view, have, seq: link.seq });
}

// the finger moved: draw now (the caller does), tell Python when it rests
// or at the next press of a pointer or of a key on a button, so that it never acts on settings unheard of
function moved(link, view) {
  link.view = { ...view };
  clearTimeout(link.timer);
  if (!link.flush) {
    link.flush = (event) => { if (link.timer && (event.type !== "keydown" || event.key === "Enter" || event.key === " ")) send(link); };
    for (const kind of FLUSHES) window.addEventListener(kind, link.flush, true);
  }
  link.timer = setTimeout(() => send(link), REST_MS);
}

// Python spoke: returns {header, arrays, fresh} or null where the data has to be asked for again
function received(link, component) {
  link.component = component;
  const { header, arrays } = unpack(component.data);
  if (header.full) {
    if (!PAYLOADS.has(header.rev)) PAYLOADS.set(header.rev, { header, arrays });
    while (PAYLOADS.size > 4) PAYLOADS.delete(PAYLOADS.keys().next().value);
  }
  if (link.seq < header.seq) link.seq = header.seq;
  const stale = header.seq < link.seq && performance.now() - link.sentAt < STALE_MS;
  if (link.view === null || (!stale && !same(header.view, link.agreed))) {
    clearTimeout(link.timer);
    link.timer = 0;
    link.view = { ...header.view };
    link.agreed = { ...header.view };
  }
  const payload = link.rev === header.rev ? link.payload : PAYLOADS.get(header.rev);
  if (!payload) {
    send(link, null);
    return null;
  }
  const fresh = link.rev !== header.rev;
  link.rev = header.rev;
  link.payload = payload;
  return { ...payload, fresh };
}

// one object per mounted element; Streamlit calls the script again on the same element with each new data
function mounted(component, build) {
  const root = component.parentElement;
  let mount = MOUNTS.get(root);
  if (mount && !mount.root.isConnected) for (const kind of FLUSHES) window.removeEventListener(kind, mount.link.flush, true);
  if (!mount || !mount.root.isConnected) {
    mount = { link: makeLink(), root: root.querySelector(".gf") };
    MOUNTS.set(root, mount);
    build(mount);
  }
  return mount;
}

// Streamlit may call the clean-up of an overtaken first call on a living element: look before ending anything
function ending(mount, end) {
  return () => setTimeout(() => {
    if (mount.root.isConnected) return;
    clearTimeout(mount.link.timer);
    for (const kind of FLUSHES) window.removeEventListener(kind, mount.link.flush, true);
    end();
  }, 0);
}
