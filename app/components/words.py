"""Every word that a component shows, in English; a translation passes its own dictionary.

`{name}` is filled in by the browser. A name in braces may be a token: it is put there as text, isolated from the
direction of the sentence around it. `{a}` and `{b}` never stand for markup.
"""

from __future__ import annotations

from collections.abc import Mapping

TABLE = {
    "table_of_row": "Numbers of this row as a table",
    "key_column": "key #",
    "token_column": "token",
    "weight_column": "weight",
}

ATTENTION = {
    **TABLE,
    "score_column": "score",
    "masked": "masked",
    "layer": "Layer",
    "head": "Head",
    "query_axis": "query (reads)",
    "key_axis": "key (is read)",
    "overview": "All heads",
    "overview_note": "one colour scale for all heads",
    "tile": "layer {layer} · head {head}",
    "overview_label": "All {n_layers} layers × {n_heads} heads as small maps. Layer {layer}, head {head} is open.",
    "picture_label": "Layer {layer}, head {head}: “{query}” reads mostly “{key}” ({value})",
    "picture_empty": "Layer {layer}, head {head}: “{query}” reads nothing",
    "score_label": "Layer {layer}, head {head}: “{query}” scores highest with “{key}” ({value})",
    "cell": "{query} → {key}: {value}",
    "row_mostly": "{query} reads mostly {key} ({value})",
    "row_highest": "{query} scores highest with {key} ({value})",
    "row_nothing": "{query} reads nothing",
    "waiting": "fetching this layer …",
    "no_numbers": "Every cell of this map is masked: there is nothing to draw.",
    "scale_unit": "scale 0 – 1",
    "scale_max": "scale 0 – max",
    "scale_button": "Colour scale: switch between 0 – 1 and 0 – largest weight of this head",
    "zoom_hint": "scroll to zoom, drag to move",
    "reset": "Show all",
    "sentence": "Who reads whom",
    "reads": "reads",
    "is_read": "is read",
    "padding": "padding",
}

SAMPLER = {
    "temperature": "Temperature",
    "top_k": "Top-k",
    "top_p": "Top-p",
    "temperature_number": "T, as a number",
    "top_k_number": "k, as a number",
    "top_p_number": "p, as a number",
    "greedy_short": "greedy",
    "off": "off",
    "order": "Order: temperature, then top‑k, then top‑p; scaled up to 100 % after each cut.",
    "kept_all": "Nothing is cut: all {kept} tokens can be drawn.",
    "kept_one": "Kept 1 token; {lost} of the mass is discarded and the rest scaled up.",
    "kept_many": "Kept {kept} tokens; {lost} of the mass is discarded and the rest scaled up.",
    "kept_greedy": "Greedy: the likeliest token gets everything (lowest id on a tie); top‑k and top‑p have no effect.",
    "bars": "Next-token distribution",
    "bars_label": "Likeliest next token: “{best}” ({share}). {kept} of {vocab} tokens can be drawn.",
    "rest": "rest ({n} tokens)",
    "rest_kept": "{kept} kept",
    "scale": "full width = {limit}",
    "cut": "cut",
    "cut_line": "cut here",
    "drawn": "taken",
    "likeliest": "likeliest",
    "instead": "Continue with this token instead",
    "legend_final": "what is drawn from",
    "legend_ghost": "before the cuts",
    "draw_title": "The draw",
    "draw_line": "kept tokens in id order, each as wide as its probability",
    "draw_label": "A line from 0 to 1 on which the kept tokens lie in id order; u = {u} lands on “{token}”.",
    "draw_other": "u = {u} lands on {token} ({share}); the likeliest was {best} ({best_share}).",
    "draw_best": "u = {u} lands on {token} ({share}), the likeliest.",
    "drawn_before": "Taken at this step: {token} ({share}).",
    "drawn_cut": "Taken at this step: {token}, which these settings would cut.",
    "not_finite": "These logits hold values that are no numbers, so no token can be offered.",
}

STRIP = {
    **TABLE,
    "layer": "Layer",
    "head": "Head",
    "weight_of": "{query} → {key}: {value}",
    "not_read": "{key} comes later: it is not read",
    "prompt": "prompt",
    "generated": "generated",
    "current": "current",
    "go": "go to this step",
    "picture_label": "Layer {layer}, head {head}: “{query}” reads mostly “{key}” ({value})",
}

MIXTURE = {
    **TABLE,
    "table_of_row": "All numbers as a table",
    "amount": "Attention",
    "layer": "Layer",
    "head": "Head",
    "waiting": "fetching this layer …",
    "identity": "before attention: each word is itself",
    "real": "the model's own weights",
    "between": "a blend of the two",
    "new": "new {query} =",
    "rest": "… {n} more",
    "word_title": "word",
    "weight_title": "weight",
    "value_title": "its value v: {d} numbers, colours to ±{most}",
    "product_title": "weight × v, colours to ±{most}",
    "sum_title": "sum",
    "sum_note": "new vector z: the sum of the column above",
    "cell": "{key}, number {i}: {weight} × {value} = {product}",
    "sum_cell": "number {i} of the new vector: {value}",
    "picture_label": "Layer {layer}, head {head}, attention {amount}: the new “{query}” is {parts}",
    "choose": "Show what this word is made of",
    "hint": "orange above 0, teal below; point at a cell to read it",
}

CROSSING = {
    **TABLE,
    "layer": "Layer",
    "head": "Head",
    "step": "Step",
    "previous": "Previous",
    "next": "Next",
    "source": "Source",
    "source_note": "encoder",
    "target": "Target",
    "target_note": "decoder",
    "reads_mostly": "After {reader} the decoder writes {token}, and reads mostly {key} ({value}).",
    "reads_this": "After {reader} the decoder writes {token}, and reads {key} by {value}.",
    "picture_label": "Layer {layer}, head {head}, step {step}: writing “{token}” after “{reader}”, the decoder reads "
    "mostly “{key}” ({value})",
    "waiting": "fetching this layer …",
    "instead": "by itself the model would have written {token} ({share})",
    "bars": "What could be written here",
    "bars_label": "Likeliest here: “{best}” ({share})",
    "scale": "full width = {limit}",
    "written": "written",
    "rest": "rest ({n})",
    "said_best": "{token} is written, the likeliest ({share}).",
    "said_other": "{token} was given, at {share}. By itself the model would have written {best} ({best_share}).",
    "said_next": "The target stops here. Likeliest to follow: {token} ({share}).",
    "table_of_steps": "All steps as a table",
    "steps_caption": "What was written at each step, and what the model found likeliest there",
    "share_column": "probability",
    "best_column": "likeliest",
}

BEAMS = {
    "kept": "kept",
    "dropped": "dropped",
    "finished": "finished",
    "cut": "cut off",
    "best": "best line",
    "greedy": "greedy",
    "step": "Step {n}",
    "node": "{text} · log p = {logprob} · {fate}",
    "hint": "Point at a token, or walk with the arrow keys, to read its line.",
    "tree_label": "Beam search with {width} lines over {n} steps. Best: “{best}”, score {score}.",
    "texts": "Finished texts, the best first: log p / tokens",
    "score": "{score} = {logprob} / {count}",
    "greedy_text": "Greedy, always the likeliest next token: {text} · log p = {logprob}",
    "table_of_row": "The tree as a table",
    "step_column": "step",
    "token_column": "token",
    "logprob_column": "log p of the line",
    "fate_column": "fate",
    "line_column": "line",
}

GRID = {
    "title": "Mask",
    "grid_label": "Mask of {n} tokens: rows read, columns are read. {shown} of {all} cells are allowed.",
    "may": "{query} may read {key}",
    "may_not": "{query} may not read {key}",
    "cell": "“{query}” reads “{key}”",
    "column": "Hide or show “{key}” for everybody",
    "row": "Close or open the row of “{query}”",
    "query_axis": "reads ↓",
    "key_axis": "is read →",
    "allowed": "{shown} of {all} cells are allowed",
    "hint": "Click a cell, or draw over several. Click a token to switch its whole row or column. "
    "The dots mark where a token reads itself.",
    "nothing_one": "{query} may read nothing: its weights are all 0, and attention brings it nothing.",
    "nothing_many": "{n} tokens may read nothing: their weights are all 0, and attention brings them nothing.",
}

CONTRAST = {
    "before": "its own mask",
    "after": "this mask",
    "rest": "rest ({n})",
    "scale": "full width = {limit}",
    "bars_label": "{title}: “{before}” ({before_share}) with its own mask, “{after}” ({after_share}) with this one",
    "table_of_row": "Numbers as a table",
    "place_column": "prediction",
    "token_column": "token",
}

CHIPS = {
    "source": "Text",
    "count": "Tokens: {n}",
    "special": "special",
    "added": "added",
    "padding": "padding",
    "chip_label": "token {index}: {text}, id {id}",
    "chip_slice": ", characters {start} to {end}",
    "raw": "in the vocabulary: {raw}",
    "no_token": "no token came from here",
    "empty": "No tokens.",
}


def words(english: Mapping[str, str], given: Mapping[str, str] | None) -> dict[str, str]:
    """`english` with the translations in `given`; `ValueError` for a name that no component uses."""
    unknown = set(given or {}) - set(english)
    if unknown:
        raise ValueError(f"words: unknown {', '.join(sorted(unknown))}")
    return {**english, **(given or {})}
