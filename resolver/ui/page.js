"use strict";
// The page decides nothing: each change becomes a statement of SQL, and the server says what it would do.

const TABLE = "my_table";
const el = (id) => document.getElementById(id);
let given = { path: null, metadata: null };
let offered = null;
let changes = fresh();
let asking = 0;

function fresh() {
  return { set: {}, unset: [], add: [], drop: [], columns: [], without: [] };
}

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

async function ask(where, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`/api/${where}`, options);
  try {
    return await response.json();
  } catch {
    return { error: { message: "The server's answer cannot be read.", fix: "Open the address that deltaresolver ui has printed." } };
  }
}

// --- statements -----------------------------------------------------------------------------------

const text = (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const name = (value) => `\`${value.replaceAll("`", "``")}\``;

function statements() {
  const made = [];
  const alter = `ALTER TABLE ${TABLE}`;
  if (changes.unset.length) made.push(`${alter} UNSET TBLPROPERTIES IF EXISTS (${changes.unset.map(text).join(", ")})`);
  const set = [...Object.entries(changes.set), ...changes.add.map((feature) => [`delta.feature.${feature}`, "supported"])];
  if (set.length) made.push(`${alter} SET TBLPROPERTIES (${set.map(([key, value]) => `${text(key)} = ${text(value)}`).join(", ")})`);
  for (const column of changes.columns) made.push(`${alter} ADD COLUMNS (${name(column.name)} ${column.type})`);
  for (const column of changes.without) made.push(`${alter} DROP COLUMN ${name(column)}`);
  for (const feature of changes.drop) made.push(`${alter} DROP FEATURE ${name(feature)}`);
  return made;
}

const clients = () => el("clients").value.split(/[,\s]+/).filter(Boolean);
const question = () => ({ ...given, statements: statements(), clients: clients() });

// --- what can be switched ---------------------------------------------------------------------------

function propertyRow(property) {
  const { key, values, value } = property;
  const now = key in changes.set ? changes.set[key] : changes.unset.includes(key) ? "" : value ?? "";
  const touched = key in changes.set || changes.unset.includes(key);
  const change = (event) => {
    const chosen = event.target.value;
    delete changes.set[key];
    changes.unset = changes.unset.filter((other) => other !== key);
    if (chosen === "" && value !== null) changes.unset.push(key);
    else if (chosen !== "" && chosen !== value) changes.set[key] = chosen;
    event.target.closest(".row").classList.toggle("touched", key in changes.set || changes.unset.includes(key));
    update();
  };
  const known = now !== "" && values.length && !values.includes(now) ? [...values, now] : values;
  const control = values.length
    ? make("select", { onchange: change, "aria-label": key }, make("option", { value: "" }, "not set"),
        ...known.map((one) => make("option", { value: one, selected: one === now }, one)))
    : make("input", { oninput: change, value: now, placeholder: "not set", "aria-label": key, autocomplete: "off" });
  return make("div", { class: touched ? "row touched" : "row", "data-key": key.toLowerCase() }, make("span", { class: "name" }, key), control);
}

function featureRow(feature) {
  const has = changes.add.includes(feature.name) || (feature.supported && !changes.drop.includes(feature.name));
  const fixed = feature.supported && !feature.removable;
  const change = (event) => {
    const wanted = event.target.checked;
    changes.add = changes.add.filter((other) => other !== feature.name);
    changes.drop = changes.drop.filter((other) => other !== feature.name);
    if (wanted && !feature.supported) changes.add.push(feature.name);
    if (!wanted && feature.supported) changes.drop.push(feature.name);
    event.target.closest(".row").classList.toggle("touched", wanted !== feature.supported);
    update();
  };
  const box = make("input", { type: "checkbox", checked: has, disabled: fixed, onchange: change });
  const label = make("label", { title: feature.summary }, box, ` ${feature.name}`);
  return make("div", { class: has === feature.supported ? "row" : "row touched" }, label, fixed ? make("small", { class: "quiet" }, "cannot be dropped") : "");
}

function columnRow(column, index, isNew) {
  const gone = changes.without.includes(column.name);
  const press = () => {
    if (isNew) changes.columns.splice(index, 1);
    else if (gone) changes.without = changes.without.filter((other) => other !== column.name);
    else changes.without.push(column.name);
    drawColumns();
    update();
  };
  const word = isNew ? "Take back" : gone ? "Keep" : "Drop";
  return make("div", { class: isNew || gone ? "row touched" : "row" },
    make("span", { class: gone ? "name gone" : "name" }, `${column.name} `, make("small", { class: "quiet" }, column.type)),
    make("button", { type: "button", onclick: press, "aria-label": `${word} ${column.name}` }, word));
}

function drawColumns() {
  el("columns").replaceChildren(
    ...changes.columns.map((column, index) => columnRow(column, index, true)),
    ...offered.columns.map((column, index) => columnRow(column, index, false)));
}

function drawControls() {
  el("properties").replaceChildren(...offered.properties.map(propertyRow),
    ...Object.entries(changes.set).filter(([key]) => !offered.properties.some((one) => one.key === key))
      .map(([key]) => propertyRow({ key, values: [], value: null })));
  el("features").replaceChildren(...offered.features.map(featureRow));
  el("new-column").elements.type.replaceChildren(...offered.types.map((one) => make("option", {}, one)));
  drawColumns();
  find();
}

function find() {
  const wanted = el("find").value.toLowerCase();
  for (const row of el("properties").children) row.hidden = !row.dataset.key.includes(wanted);
}

// --- the answer -------------------------------------------------------------------------------------

async function update() {
  const mine = ++asking;
  const asked = question();
  history.replaceState(null, "", `#${shared()}`);
  el("result").classList.add("stale");
  const found = await ask("answer", asked);
  if (mine !== asking) return; // an answer to an earlier change
  el("result").classList.remove("stale");
  showError(found.error);
  if (found.error) {
    el("result").classList.add("stale");
    return;
  }
  draw(found);
  document.body.dataset.answered = String(mine);
  if (!found.changed) return el("back").replaceChildren("The protocol stays as it is.");
  el("back").replaceChildren("Looking…");
  const back = await ask("back", asked);
  if (mine === asking) drawBack(back);
}

function showError(error) {
  el("error").hidden = !error;
  el("error").textContent = error ? [error.code, error.message, error.fix].filter(Boolean).join("\n") : "";
}

function draw(found) {
  el("protocol").replaceChildren(found.changed ? `${found.before} → ` : "", make("strong", {}, found.after));
  el("verdict").textContent = found.changed ? "The protocol changes." : "The protocol stays.";
  el("notes").replaceChildren(...found.notes.map((note) => make("li", {}, note)));
  el("asked").textContent = `${found.asked} releases asked`;
  const parts = [["Silently wrong", found.silently_wrong, "bad"], ["Lost", found.losses, "bad"], ["Gained", found.gains, "good"]];
  const shown = parts.filter(([, list]) => list.length).flatMap(([title, list, kind]) => [
    make("p", { class: kind }, make("strong", {}, `${title}: ${list.length}`)), make("ul", {}, ...list.map(clientLine))]);
  el("impact").replaceChildren(...(shown.length ? shown : ["Nobody loses or gains anything."]));
  el("reasons").replaceChildren(make("dl", {}, ...found.features.flatMap((feature) => [
    make("dt", { class: feature.state }, feature.name, feature.state === "kept" ? "" : ` (${feature.state})`, feature.known ? "" : " (not known here)"),
    ...[...feature.reasons, ...feature.remedies.map((one) => `to undo: ${one}`)].map((line) => make("dd", {}, line))])));
  const proof = found.proof.lower.length ? found.proof.lower : ["No protocol is lower."];
  el("proof").replaceChildren(...(found.proof.is_lowest ? proof : ["The table keeps a higher form than it needs."]).map((line) => make("li", {}, line)));
  const words = { sql: "SQL", python: "Python", cli: "Shell" };
  el("commands").replaceChildren(...Object.entries(found.commands).filter(([, lines]) => lines.length).map(([kind, lines]) =>
    copied(words[kind], lines.join("\n"))));
  el("apply").hidden = !(offered.may_apply && given.path && statements().length);
}

function clientLine(one) {
  const instead = one.would_do.length ? make("span", { class: "quiet" }, ` Would do: ${one.would_do.join(", ")}.`) : "";
  return make("li", {}, make("strong", {}, one.client), ` ${one.acts.join(", ")}: ${one.outcome}, ${one.why}`, instead);
}

function copied(title, content) {
  const button = make("button", { type: "button", "aria-label": `Copy ${title}`, onclick: () => copy(content, button) }, "Copy");
  return make("div", {}, make("small", { class: "quiet" }, title), make("pre", {}, make("code", {}, content), button));
}

async function copy(content, button) {
  try {
    await navigator.clipboard.writeText(content);
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  } catch {
    button.textContent = "Select and copy it by hand";
  }
}

function drawBack(back) {
  if (back.error) return el("back").replaceChildren(back.error.message);
  if (!back.possible) return el("back").replaceChildren(make("ul", {}, ...back.reasons.map((reason) => make("li", { class: "bad" }, reason))));
  const steps = back.steps.map((step) => make("li", {}, `${step.title}: ${step.costs.join("; ")}`, make("pre", {}, make("code", {}, step.sql.join(";\n")))));
  el("back").replaceChildren(make("ol", {}, ...steps));
}

// --- links ------------------------------------------------------------------------------------------

function shared() {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...given, changes, clients: el("clients").value }));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromLink() {
  try {
    const plain = atob(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const state = JSON.parse(new TextDecoder().decode(Uint8Array.from(plain, (one) => one.charCodeAt(0))));
    return { path: state.path ?? null, metadata: state.metadata ?? null, changes: { ...fresh(), ...state.changes }, clients: state.clients ?? "" };
  } catch {
    return null;
  }
}

// --- opening ----------------------------------------------------------------------------------------

async function open(kept) {
  const found = await ask("open", question());
  showError(found.error);
  el("result").hidden = Boolean(found.error);
  if (found.error) return;
  offered = found;
  changes = kept ?? fresh();
  el("title").textContent = found.title;
  drawControls();
  await update();
}

function choose(path) {
  el("paste-part").hidden = path !== "";
  given = { path: path || null, metadata: path ? null : el("paste").value || null };
  if (path) open();
  else if (given.metadata) open();
}

async function start() {
  const listed = await ask("tables");
  if (listed.error) return showError(listed.error);
  const paths = listed.tables.map((path) => make("option", { value: path }, path));
  el("table").replaceChildren(...paths, make("option", { value: "" }, "paste metadata …"));
  el("client-names").replaceChildren(...listed.clients.map((one) => make("option", { value: one })));
  const linked = location.hash ? fromLink() : null;
  if (linked && (linked.metadata !== null || listed.tables.includes(linked.path))) {
    given = { path: linked.path, metadata: linked.metadata };
    el("clients").value = linked.clients;
    el("table").value = linked.path ?? "";
    el("paste").value = linked.metadata ?? "";
    el("paste-part").hidden = linked.path !== null;
    return open(linked.changes);
  }
  choose(listed.tables[0] ?? "");
}

el("table").addEventListener("change", (event) => choose(event.target.value));
el("read").addEventListener("click", () => choose(""));
el("find").addEventListener("input", find);
el("clients").addEventListener("change", update);
el("reset").addEventListener("click", () => { changes = fresh(); drawControls(); update(); });
el("share").addEventListener("click", () => copy(location.href, el("share")));
el("other-property").addEventListener("submit", (event) => {
  event.preventDefault();
  changes.set[event.target.elements.key.value] = event.target.elements.value.value;
  event.target.reset();
  drawControls();
  update();
});
el("new-column").addEventListener("submit", (event) => {
  event.preventDefault();
  changes.columns.push({ name: event.target.elements.name.value, type: event.target.elements.type.value });
  event.target.reset();
  drawColumns();
  update();
});
el("apply").addEventListener("click", async () => {
  if (!confirm(`${statements().join(";\n")}\n\nThis changes the table. Go on?`)) return;
  const done = await ask("apply", question());
  showError(done.error);
  if (done.error) return;
  await open();
  el("applied").textContent = `Done: the table is at version ${done.done.at(-1).table_version}.`;
});
start();
