// The attention picture: sliders and overview choose a head, the map and the sentence show it, at once.

function build(mount) {
  const $ = (name) => mount.root.querySelector(name);
  Object.assign(mount, {
    map: $(".gf-map"), base: $(".gf-base"), over: $(".gf-over"), overview: $(".gf-overview"), readout: $(".gf-readout"),
    hover: null, tile: null, preview: null, following: true, window: null, scaleMax: null, frame: 0, dirty: "all", filledRev: null,
  });
  mount.layer = slider({ label: "", min: 0, max: 0, onInput: (value) => choose(mount, { layer: value }) });
  mount.head = slider({ label: "", min: 0, max: 0, onInput: (value) => choose(mount, { head: value }) });
  $(".gf-sliders").append(mount.layer.element, mount.head.element);
  mount.sentence = makeSentence(mount.root, (query) => { mount.preview = query; mount.following = false; soon(mount, "over"); }, (query) => { mount.hover = null; choose(mount, { token: query }); });
  listenOverview(mount);
  listenMap(mount);
  $(".gf-scale").addEventListener("click", () => { mount.scaleMax = !mount.scaleMax; soon(mount, "base"); });
  $(".gf-reset").addEventListener("click", () => { mount.window = null; soon(mount, "base"); });
  mount.observer = new ResizeObserver(() => {
    mount.root.toggleAttribute("data-narrow", mount.root.clientWidth < 640 && window.innerWidth > 1000); // beside something
    const size = `${mount.map.clientWidth}x${mount.map.clientHeight}x${$(".gf-left").clientWidth}`;
    if (size !== mount.size && mount.payload) { mount.size = size; soon(mount, "all"); }
  });
  mount.observer.observe(mount.map);
  mount.observer.observe($(".gf-right"));
}

// a control moved: draw in this very task, tell Python when the finger rests
function choose(mount, change) {
  const view = { ...mount.link.view, ...change };
  if (same(view, mount.link.view)) return;
  moved(mount.link, view);
  paint(mount, "layer" in change || "head" in change ? "head" : "over");
}

// pointer moves come faster than frames: one drawing a frame
function soon(mount, what) {
  if (mount.dirty === null || what === "all" || (what === "base" && mount.dirty === "over")) mount.dirty = what;
  if (mount.frame) return;
  mount.frame = requestAnimationFrame(() => { mount.frame = 0; if (mount.root.isConnected && mount.payload) paint(mount, mount.dirty); });
}

function chosenQuery(mount) {
  const { token } = mount.link.view, count = mount.payload.header.queries.length;
  return token === null || token === undefined ? count - 1 : Math.min(token, count - 1);
}

function paintLeft(mount) {
  const { header } = mount.payload, { words } = header, { layer, head } = mount.link.view;
  if (header.compact || !mount.pictures) return;
  paintOverview(mount.overview, mount.payload, mount.look, mount.pictures, mount.overviewPlan, { layer, head, hover: mount.tile }, words);
  mount.root.querySelector(".gf-overview-note").textContent = mount.tile ? filled(words.tile, mount.tile) : words.overview_note;
}

// what: "all" (data, size or theme), "head" (another head), "base" (window or scale), "over" (pointer, chosen row)
function paint(mount, what) {
  // in a closed tab there is no width; the observer calls again when there is
  if (!mount.map.clientWidth) return;
  mount.dirty = null;
  const { payload, look: palette, link: { view } } = mount, { header } = payload, { words, kind } = header;
  const map = openMap(payload, view.layer, view.head), table = kind === "scores" ? palette.scores : palette.weights;
  if (what === "all" && !header.compact) {
    mount.pictures = mount.pictureOf === payload && mount.pictureLook === palette.id ? mount.pictures : atlas(payload, palette);
    mount.pictureOf = payload;
    mount.pictureLook = palette.id;
    mount.overviewPlan = overviewPlan(header, mount.pictures.rows, mount.pictures.cols, mount.root.querySelector(".gf-left").clientWidth, 340);
  }
  if (what === "all" || what === "head") {
    mount.layer.set(view.layer);
    mount.head.set(view.head);
    paintLeft(mount);
  }
  if (what !== "over") {
    if (!mount.window) mount.window = whole(header);
    const width = mount.map.clientWidth, height = mount.map.clientHeight, ctx = fit(mount.base, width, height);
    mount.plan = heatPlan(ctx, width, height, header.queries, header.keys, mount.window, palette);
    const { plan } = mount;
    if (!map) {
      const { picture, rows, cols } = mount.pictures || atlas(payload, palette);
      ctx.imageSmoothingEnabled = false;
      ctx.drawImage(picture, view.head * cols, view.layer * rows, cols, rows, plan.left, plan.top, plan.w, plan.h);
    } else if (map.any) {
      const range = levels(map, kind, mount.scaleMax);
      paintCells(ctx, map, plan, mount.window, table, range, palette);
      paintNumbers(ctx, map, plan, mount.window, table, range, palette, kind);
      paintBar(ctx, plan, table, range, palette);
    }
    paintTitles(ctx, plan, palette, words);
    paintTools(mount);
  }
  const ctx = fit(mount.over, mount.map.clientWidth, mount.map.clientHeight), chosen = chosenQuery(mount);
  paintOver(ctx, mount.plan, mount.window, header.queries, header.keys, palette, chosen, mount.hover);
  mount.sentence.draw(map, mount.preview === null ? chosen : mount.preview, chosen, kind, palette, mount.following);
  describe(mount, map, chosen);
}

function paintTools(mount) {
  const { words, kind } = mount.payload.header, $ = (name) => mount.root.querySelector(name);
  const scale = $(".gf-scale"), zoomed = pannable(mount);
  scale.hidden = kind === "scores";
  scale.textContent = mount.scaleMax ? words.scale_max : words.scale_unit;
  scale.title = words.scale_button;
  scale.setAttribute("aria-label", `${words.scale_button} (${scale.textContent})`);
  $(".gf-zoom-hint").textContent = zoomable(mount) ? words.zoom_hint : "";
  $(".gf-reset").hidden = !zoomed;
  $(".gf-reset").textContent = words.reset;
  mount.map.toggleAttribute("data-zoomed", zoomed);
}

// the readout line, the picture's sentence and the table of the chosen row
function describe(mount, map, chosen) {
  const { header } = mount.payload, { words, queries, keys, kind } = header, { view } = mount.link;
  const { hover, readout } = mount, row = mount.preview === null ? chosen : mount.preview;
  const best = (q) => {
    let at = -1;
    for (let k = 0; map && k < map.cols; k += 1) {
      const i = q * map.cols + k;
      if (map.allowed[i] && (at < 0 || map.values[i] > map.values[q * map.cols + at])) at = k;
    }
    return at >= 0 && (kind === "scores" || map.values[q * map.cols + at] > 0) ? at : -1;
  };
  if (!map) readout.textContent = words.waiting;
  else if (!map.any) readout.textContent = words.no_numbers;
  else if (hover) {
    const i = hover.q * map.cols + hover.k, value = { token: map.allowed[i] ? weightText(map.values[i]) : words.masked };
    write(readout, words.cell, { query: named(queries[hover.q], hover.q), key: named(keys[hover.k], hover.k), value });
  } else {
    const k = best(row), q = named(queries[row], row);
    if (k < 0) write(readout, words.row_nothing, { query: q });
    else write(readout, kind === "scores" ? words.row_highest : words.row_mostly, { query: q, key: named(keys[k], k), value: map.values[row * map.cols + k].toFixed(2) });
  }
  const k = best(chosen), text = { layer: view.layer, head: view.head, query: queries[chosen].text };
  const template = k < 0 ? words.picture_empty : kind === "scores" ? words.score_label : words.picture_label;
  mount.map.setAttribute("aria-label", filled(template, k < 0 ? text : { ...text, key: keys[k].text, value: map.values[chosen * map.cols + k].toFixed(2) }));
  mount.table.update(() => ({
    caption: mount.map.getAttribute("aria-label"),
    heads: [words.key_column, words.token_column, kind === "scores" ? words.score_column : words.weight_column],
    lines: map ? keys.map((key, at) => [String(at), key.text, map.allowed[chosen * map.cols + at] ? weightText(map.values[chosen * map.cols + at]) : words.masked]) : [],
  }));
}

// fixed by the data: labels, ranges, titles
function fill(mount) {
  const { header } = mount.payload, { words } = header, $ = (name) => mount.root.querySelector(name);
  mount.layer.name(words.layer);
  mount.head.name(words.head);
  mount.layer.range(0, header.n_layers - 1);
  mount.head.range(0, header.n_heads - 1);
  mount.root.toggleAttribute("data-compact", header.compact);
  mount.root.style.setProperty("--gf-height", `${header.height}px`);
  $(".gf-overview-title").textContent = header.titles.overview || words.overview;
  $(".gf-sentence-title").textContent = header.titles.sentence || words.sentence;
  const [from, to] = $(".gf-sentence-heads").children;
  from.textContent = words.reads;
  to.textContent = words.is_read;
  mount.sentence.fill(header.queries, header.keys, words);
  if (!mount.table) mount.table = rowTable($(".gf-details"), words);
  const shape = `${header.queries.length}x${header.keys.length}`;
  if (shape !== mount.shape) {
    mount.shape = shape;
    mount.window = null;
    mount.scaleMax = zoomable(mount);
  }
  mount.hover = null;
  mount.preview = null;
}

export default function (component) {
  const mount = mounted(component, build);
  const got = received(mount.link, component);
  if (!got) return undefined;
  mount.payload = mount.link.payload;
  mount.look = look(mount.root);
  if (got.fresh) fill(mount);
  if (got.fresh || mount.look.id !== mount.drawnLook || !same(mount.link.view, mount.drawnView)) paint(mount, "all");
  mount.drawnLook = mount.look.id;
  mount.drawnView = { ...mount.link.view };
  mount.root.__glassformer = mount;
  return ending(mount, () => { mount.observer.disconnect(); cancelAnimationFrame(mount.frame); });
}
