// The text as it grows; behind each token, how much the current one reads of it.

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  mount.layer = slider({ label: "", min: 0, max: 0, onInput: (layer) => choose(mount, { layer }) });
  mount.head = slider({ label: "", min: 0, max: 0, onInput: (head) => choose(mount, { head }) });
  $(".gf-strip-sliders").append(mount.layer.element, mount.head.element);
  mount.text = $(".gf-strip-text");
  mount.readout = $(".gf-strip-readout");
  mount.hover = null;
  mount.table = null;
  const at = (event) => {
    const piece = event.target.closest(".gf-piece");
    return piece ? Number(piece.dataset.at) : null;
  };
  const over = (index) => { if (index !== mount.hover) { mount.hover = index; describe(mount); } };
  mount.text.addEventListener("pointerover", (event) => over(at(event)));
  mount.text.addEventListener("pointerleave", () => over(null));
  mount.text.addEventListener("focusin", (event) => over(at(event)));
  mount.text.addEventListener("focusout", () => over(null));
  mount.text.addEventListener("click", (event) => {
    const index = at(event);
    if (index !== null && index >= mount.header.prompt_length) mount.link.component.setTriggerValue("step", index - mount.header.prompt_length);
  });
}

function choose(mount, change) {
  const view = { ...mount.link.view, ...change };
  if (same(view, mount.link.view)) return;
  moved(mount.link, view);
  paint(mount);
}

// leading ␣ and the like stay visible but quiet; a newline also breaks the line
function fillPiece(piece, text) {
  const parts = text.match(/[␣↵⇥]|[^␣↵⇥]+/g) || [text];
  piece.replaceChildren(...parts.map((part) => (/^[␣⇥]$/.test(part) ? make("span", "gf-quiet", part) : part === "↵" ? newline() : document.createTextNode(part))));
}

function newline() {
  const sign = make("span", "gf-quiet", "↵");
  sign.append(document.createElement("br"));
  return sign;
}

function fill(mount) {
  const { header } = mount, { words, tokens, prompt_length } = header;
  mount.layer.name(words.layer);
  mount.head.name(words.head);
  mount.layer.range(0, header.n_layers - 1);
  mount.head.range(0, header.n_heads - 1);
  mount.pieces = tokens.map((token, at) => {
    const generated = at >= prompt_length, piece = make(generated ? "button" : "span", "gf-piece");
    fillPiece(piece, token.text);
    piece.dataset.at = at;
    if (generated) {
      piece.type = "button";
      piece.dataset.generated = "";
    }
    if (token.special) piece.dataset.special = "";
    if (/^<[0-9A-F]{2}>$/.test(token.text)) piece.dataset.byte = "";
    if (at === header.current) {
      piece.dataset.current = "";
      piece.setAttribute("aria-current", "true");
    }
    piece.title = `#${at} ${token.text} · ${generated ? `${words.generated}, ${words.go}` : words.prompt}${at === header.current ? `, ${words.current}` : ""}`;
    return piece;
  });
  mount.text.replaceChildren(...mount.pieces);
  if (!mount.table) mount.table = rowTable(mount.root.querySelector(".gf-details"), words);
  const current = mount.pieces[header.current], box = mount.text;
  const top = current.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 2;
}

function rowOf(mount) {
  const [, heads, keys] = mount.arrays.rows.shape, { layer, head } = mount.link.view;
  return floats(mount.arrays.rows, (layer * heads + head) * keys, keys);
}

function paint(mount) {
  const { layer, head } = mount.link.view, weights = rowOf(mount);
  mount.layer.set(layer);
  mount.head.set(head);
  mount.pieces.forEach((piece, at) => {
    const weight = at < weights.length && Number.isFinite(weights[at]) ? weights[at] : 0, level = Math.round(255 * Math.min(1, Math.max(0, weight)));
    const entry = mount.look.weights[Math.round(level * 0.8)];
    piece.style.backgroundColor = weight > 0.004 ? css(entry) : "";
    piece.style.color = weight > 0.004 ? inkOn(entry) : "";
    piece.toggleAttribute("data-unread", at >= weights.length);
  });
  describe(mount);
}

function describe(mount) {
  const { header, readout, hover } = mount, { words, tokens, current } = header, weights = rowOf(mount), { layer, head } = mount.link.view;
  let best = 0;
  for (let k = 1; k < weights.length; k += 1) if (weights[k] > weights[best]) best = k;
  const query = named(tokens[current], current);
  if (hover !== null && hover >= weights.length) write(readout, words.not_read, { key: named(tokens[hover], hover) });
  else {
    const k = hover === null ? best : hover;
    write(readout, words.weight_of, { query, key: named(tokens[k], k), value: { token: weightText(weights[k]) } });
  }
  const label = filled(words.picture_label, { layer, head, query: tokens[current].text, key: tokens[best].text, value: weights[best].toFixed(2) });
  mount.text.setAttribute("aria-label", label);
  mount.table.update(() => ({
    caption: label,
    heads: [words.key_column, words.token_column, words.weight_column],
    lines: Array.from(weights, (weight, k) => [String(k), tokens[k].text, weightText(weight)]),
  }));
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  Object.assign(mount, { header: mount.link.payload.header, arrays: mount.link.payload.arrays, look: look(mount.root) });
  if (got.fresh) {
    mount.hover = null;
    fill(mount);
  }
  paint(mount);
  mount.root.__glassformer = mount;
  return ending(mount, () => {});
}
