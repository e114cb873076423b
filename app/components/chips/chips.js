// One chip per token, in index order from the left whatever the script; a chip and its slice of the text light up together.

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  mount.source = $(".gf-source");
  mount.list = $(".gf-chip-list");
  const chipOf = (event) => { const chip = event.target.closest(".gf-chip"); return chip ? [Number(chip.dataset.at)] : []; };
  const slicesOf = (event) => { const slice = event.target.closest(".gf-slice"); return slice ? mount.slices[Number(slice.dataset.at)] : null; };
  mount.list.addEventListener("pointerover", (event) => lightChips(mount, chipOf(event)));
  mount.list.addEventListener("focusin", (event) => lightChips(mount, chipOf(event)));
  for (const name of ["pointerleave", "focusout"]) mount.list.addEventListener(name, () => lightChips(mount, []));
  mount.source.addEventListener("pointerover", (event) => { const slice = slicesOf(event); light(mount, slice ? slice.covering : [], slice ? [slice] : []); });
  mount.source.addEventListener("pointerleave", () => lightChips(mount, []));
  mount.list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const from = Number(mount.root.getRootNode().activeElement.dataset.at), next = Math.min(mount.chips.length - 1, Math.max(0, from + by));
    mount.chips[from].tabIndex = -1;
    mount.chips[next].tabIndex = 0;
    mount.chips[next].focus();
  });
}

function lightChips(mount, indices) {
  light(mount, indices, mount.slices.filter((slice) => indices.some((at) => slice.covering.includes(at))));
}

function light(mount, indices, slices) {
  mount.chips.forEach((chip, at) => chip.toggleAttribute("data-on", indices.includes(at)));
  mount.slices.forEach((slice) => slice.element.toggleAttribute("data-on", slices.includes(slice)));
}

// Python counts code points, JavaScript UTF-16 units: cut the text at every token's edge, by code points
function cut(text, tokens) {
  const points = Array.from(text), edges = new Set([0, points.length]);
  const usable = (token) => token.start !== undefined && token.end > token.start && token.end <= points.length;
  for (const token of tokens) if (usable(token)) { edges.add(token.start); edges.add(token.end); }
  const places = [...edges].sort((a, b) => a - b), slices = [];
  const first = new Map(places.map((place, at) => [place, at]));
  for (let i = 0; i + 1 < places.length; i += 1) slices.push({ text: points.slice(places[i], places[i + 1]).join(""), covering: [] });
  tokens.forEach((token, at) => {
    if (usable(token)) for (let i = first.get(token.start); i < first.get(token.end); i += 1) slices[i].covering.push(at);
  });
  return slices;
}

function sliceNode(slice, at, words) {
  const node = make("span", "gf-slice");
  node.dataset.at = at;
  for (const part of slice.text.split(/(\n)/)) {
    if (part === "\n") node.append(make("span", "gf-newline", "↵"), "\n");
    else if (part) node.append(part);
  }
  if (!slice.covering.length && slice.text.trim()) {
    node.dataset.lost = "";
    node.title = words.no_token;
  }
  slice.element = node;
  return node;
}

function chipNode(token, at, words) {
  const item = make("div"), chip = make("button", "gf-chip"), text = make("bdi", "gf-chip-text");
  item.setAttribute("role", "listitem");
  const parts = token.text.match(/[␣↵⇥]|[^␣↵⇥]+/g) || [token.text];
  text.append(...parts.map((part) => (/^[␣↵⇥]$/.test(part) ? make("span", "gf-quiet", part) : part)));
  text.dir = "auto";
  chip.append(make("span", "gf-chip-index", at), text, make("span", "gf-chip-id", token.id));
  const kinds = ["special", "added", "padding"].filter((kind) => token[kind]);
  for (const kind of kinds) chip.dataset[kind] = "";
  if (kinds.length) chip.append(make("span", "gf-chip-word", kinds.map((kind) => words[kind]).join(", ")));
  if (/^<[0-9A-F]{2}>$/.test(token.text)) chip.dataset.byte = "";
  Object.assign(chip, { type: "button", tabIndex: at ? -1 : 0 });
  chip.dataset.at = at;
  const raw = token.raw ? ` · ${filled(words.raw, { raw: token.raw })}` : "";
  const slice = token.end > token.start ? filled(words.chip_slice, token) : "";
  chip.title = `#${at} ${token.text}${raw}`;
  const label = filled(words.chip_label, { index: at, text: token.text, id: token.id });
  chip.setAttribute("aria-label", [label + slice, ...kinds.map((kind) => words[kind])].join(", "));
  item.append(chip);
  return { item, chip };
}

function fill(mount) {
  const { tokens, text, words } = mount.link.payload.header, $ = (name) => mount.root.querySelector(name);
  $(".gf-source-title").textContent = words.source;
  $(".gf-chips-title").textContent = tokens.length ? filled(words.count, { n: tokens.length }) : words.empty;
  mount.slices = cut(text, tokens);
  mount.source.replaceChildren(...mount.slices.map((slice, at) => sliceNode(slice, at, words)));
  mount.source.hidden = $(".gf-source-title").hidden = !text;
  const made = tokens.map((token, at) => chipNode(token, at, words));
  mount.chips = made.map(({ chip }) => chip);
  mount.list.replaceChildren(...made.map(({ item }) => item));
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  look(mount.root);
  if (got.fresh) fill(mount);
  return ending(mount, () => {});
}
