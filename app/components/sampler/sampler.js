// Temperature, top-k, top-p: three sliders, the bars that follow the finger, and the draw.

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  mount.controls = {
    temperature: setting(mount, "temperature", { max: 2, step: 0.01, digits: 2 }),
    top_k: setting(mount, "top_k", { max: 1, step: 1, digits: 0, log: true }),
    top_p: setting(mount, "top_p", { max: 1, step: 0.01, digits: 2 }),
  };
  $(".gf-sliders").append(...Object.values(mount.controls).map((control) => control.element));
  mount.bars = makeBars($(".gf-bars"), (id) => mount.link.component.setTriggerValue("chosen", id));
  mount.canvas = $(".gf-draw-line");
  mount.observer = new ResizeObserver(() => { if (mount.result) paintDraw(mount); });
  mount.observer.observe($(".gf-draw"));
}

// a slider and a box for the same number
function setting(mount, name, { max, step, digits, log }) {
  const box = make("input", "gf-number");
  const set = (value) => {
    mount.link.view = { ...mount.link.view, [name]: value };
    moved(mount.link, mount.link.view);
    compute(mount);
  };
  let control = slider({ label: "", min: 0, max, step, show: (value) => hint(mount, name, mount.link.view?.[name] ?? value), onInput: (value) => { box.value = exact(value, digits); mount.link.view = { ...mount.link.view, [name]: value }; set(value); } });
  if (log) control = logarithmic(control);
  Object.assign(box, { type: "number", min: 0, max, step: digits ? "any" : 1 });
  box.inputMode = digits ? "decimal" : "numeric";
  box.addEventListener("input", () => {
    const value = Math.min(Number(box.max), digits ? Number(box.value) : Math.round(Number(box.value)));
    if (box.value === "" || !Number.isFinite(value) || value < 0) return;
    set(value);
    control.set(value);
  });
  box.addEventListener("change", () => { box.value = exact(mount.link.view[name], digits); });
  control.element.querySelector(".gf-slider-head").append(box);
  return {
    ...control,
    label(text, number) { control.name(text); box.setAttribute("aria-label", number); },
    show(value) { control.set(value); if (mount.root.getRootNode().activeElement !== box || Number(box.value) !== value) box.value = exact(value, digits); },
    limit(high) { control.range(0, high); box.max = high; },
  };
}

// a number with its usual digits, or with all of its own where it has more
function exact(value, digits) {
  const usual = value.toFixed(digits);
  return Number(usual) === value ? usual : String(value);
}

function hint(mount, name, value) {
  const words = mount.words;
  if (!words) return "";
  if (name === "temperature") return value === 0 ? words.greedy_short : "";
  return (name === "top_k" && value === 0) || (name === "top_p" && value >= 1) ? words.off : "";
}

function compute(mount) {
  const { view } = mount.link, { logits, order } = mount;
  const settings = { temperature: view.temperature, topK: view.top_k, topP: view.top_p };
  const result = distribution(logits, settings, order), u = mount.header.uniform;
  mount.result = result;
  mount.landed = u === null ? null : draw(result.probs, u);
  mount.root.__glassformer = { settings, ...result, logits, order, uniform: u, landed: mount.landed };
  const { words } = mount;
  const limit = mount.bars.draw(result, order, words, mount.landed, mount.drawn, mount.nameOf);
  mount.root.querySelector(".gf-bars-scale").textContent = filled(words.scale, { limit: `${Number((100 * limit).toPrecision(2))} %` });
  const kept = result.nKept, template = view.temperature === 0 ? words.kept_greedy : kept === order.length ? words.kept_all : kept === 1 ? words.kept_one : words.kept_many;
  mount.root.querySelector(".gf-kept").textContent = filled(template, { kept: kept.toLocaleString(), lost: percent(result.discarded) });
  const best = order[0];
  mount.root.querySelector(".gf-bars").setAttribute("aria-label", filled(words.bars_label, { best: mount.nameOf(best), share: percent(result.probs[best]), kept, vocab: order.length }));
  paintDraw(mount);
}

function paintDraw(mount) {
  const { words, result, order, landed, drawn, header, nameOf } = mount, $ = (name) => mount.root.querySelector(name);
  paintLine(mount.canvas, $(".gf-draw").clientWidth, result.probs, header.uniform, landed, drawn, nameOf, mount.look);
  const best = order[0], share = (id) => percent(result.probs[id]), token = (id) => ({ token: nameOf(id) });
  if (landed === null) $(".gf-draw-text").textContent = "";
  else {
    const template = landed === best ? words.draw_best : words.draw_other, u = header.uniform.toFixed(3);
    write($(".gf-draw-text"), template, { u, token: token(landed), share: share(landed), best: token(best), best_share: share(best) });
    mount.canvas.setAttribute("aria-label", filled(words.draw_label, { u, token: nameOf(landed) }));
  }
  const said = $(".gf-drawn-text");
  if (drawn === null) said.textContent = "";
  else write(said, result.kept[drawn] ? words.drawn_before : words.drawn_cut, { token: token(drawn), share: share(drawn) });
}

// fixed by the data: the order of the tokens, their names, the words
function fill(mount) {
  const { header, arrays } = mount.payload, { words, labels } = header, $ = (name) => mount.root.querySelector(name);
  Object.assign(mount, { header, words, drawn: header.drawn, logits: arrays.logits.data });
  mount.nameOf = (id) => (id in labels ? labels[id] : `#${id}`);
  mount.controls.temperature.label(words.temperature, words.temperature_number);
  mount.controls.top_k.label(words.top_k, words.top_k_number);
  mount.controls.top_p.label(words.top_p, words.top_p_number);
  $(".gf-order").textContent = words.order;
  $(".gf-chart .gf-title").textContent = words.bars;
  $(".gf-draw .gf-title").textContent = words.draw_title;
  $(".gf-draw-note").firstElementChild.textContent = words.draw_line;
  const [final, ghost] = mount.root.querySelectorAll(".gf-legend span");
  final.textContent = words.legend_final;
  ghost.textContent = words.legend_ghost;
  try {
    refuse(mount.logits);
  } catch {
    mount.order = null;
    return;
  }
  mount.order = ranked(mount.logits);
  mount.controls.top_k.limit(mount.order.length);
  mount.bars.fill(mount.order, mount.nameOf, words);
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  mount.payload = mount.link.payload;
  mount.look = look(mount.root);
  if (got.fresh) fill(mount);
  mount.root.toggleAttribute("data-broken", mount.order === null);
  if (mount.order === null) {
    mount.root.querySelector(".gf-kept").textContent = mount.words.not_finite;
    return undefined;
  }
  const { view } = mount.link;
  mount.controls.temperature.show(view.temperature);
  mount.controls.top_k.show(Math.min(view.top_k, mount.order.length));
  mount.controls.top_p.show(view.top_p);
  compute(mount);
  return ending(mount, () => mount.observer.disconnect());
}
