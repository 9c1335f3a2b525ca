// The console page: one element that owns the model and the live stream and draws everything once per event.

import { LitElement, html, nothing } from 'lit';
import { Model, changes, liveRanks, siteLinks, sites } from '/console/model.js';
import { LiveStream } from '/console/stream.js';
import { bytes, bytesParts, count, duration, plural, rate } from '/console/format.js';
import { spark } from '/console/parts.js';
import { linksSection } from '/console/links.js';
import { directorySection, relaysSection } from '/console/relays.js';
import { ModeChanger } from '/console/mode.js';
import { JobsSection } from '/console/jobs.js';
import { NodesSection } from '/console/nodes.js';

const BEAT_MS = 1000;

class PosthouseConsole extends LitElement {
  constructor() {
    super();
    this.model = new Model();
    this.openedLinks = new Set();
    this.streamState = 'connecting';
    this.told = '';
    this.jobsSection = new JobsSection(() => this.requestUpdate());
    this.nodesSection = new NodesSection(() => this.requestUpdate());
    this.modeChanger = new ModeChanger(() => this.requestUpdate());
    this.stream = new LiveStream((overview) => this.hear(overview), (state) => this.streamChanged(state));
  }

  /** The page is one document with one style sheet, not a widget: no shadow tree. */
  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.stream.open();
    this.beat = setInterval(() => {
      this.stream.beat();
      if (this.streamState === 'live') this.model.beQuiet(Date.now());
      this.requestUpdate();
    }, BEAT_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.beat);
    this.stream.source?.close();
  }

  updated() {
    this.modeChanger.drawn(this);
    this.nodesSection.drawn(this);
  }

  hear(overview) {
    const news = changes(this.model.overview, overview);
    if (news.length > 0) this.told = news.join(' ');
    this.model.accept(overview, Date.now());
    this.requestUpdate();
  }

  streamChanged(state) {
    if (state === 'lost') this.told = 'The live stream is lost; reconnecting.';
    else if (state === 'live' && this.streamState === 'lost') this.told = 'The live stream is back.';
    this.streamState = state;
    this.requestUpdate();
  }

  render() {
    const now = this.model.now(Date.now());
    return html`
      ${this.header()}
      <div class="visually-hidden" role="status" aria-live="polite">${this.told}</div>
      ${this.streamState === 'lost' ? this.banner() : nothing}
      <main id="main" class=${this.streamState === 'lost' ? 'stale' : ''}>
        ${this.model.overview ? this.sections(now) : html`<p class="first-wait">Waiting for the first overview…</p>`}
      </main>
      ${this.model.overview ? this.modeChanger.dialog(this.model.overview) : nothing}
      ${this.nodesSection.dialog()}
      <footer><p>The same data: <a href="/api/v1/relays">relays</a>, <a href="/api/v1/jobs">jobs</a>,
        <a href="/metrics">metrics</a>, <a href="/openapi.json">OpenAPI</a>.</p></footer>`;
  }

  header() {
    const words = { live: 'Live', lost: 'Reconnecting', connecting: 'Connecting' };
    const overview = this.model.overview;
    const versions = overview ? [...new Set(overview.relays.map((relay) => relay.version))].join(', ') : '';
    return html`<header class="top">
      <h1><img src="/console/favicon.svg" alt="" width="26" height="26">Posthouse</h1>
      <p class="where">${versions}</p>
      <p class="stream ${this.streamState}"><span class="dot" aria-hidden="true"></span>${words[this.streamState]}</p>
    </header>`;
  }

  banner() {
    const since = duration(Date.now() - this.stream.heardAt);
    return html`<div class="banner"><strong>Reconnecting.</strong> The relay's process has not answered for ${since},
      or too many pages are open. ${this.model.overview ? 'What you see is the last known state.' : nothing}
      <button type="button" @click=${() => this.stream.open()}>Try now</button></div>`;
  }

  sections(now) {
    const { model } = this;
    return html`
      ${this.summary()}
      ${this.jobsSection.section(model, now)}
      ${this.nodesSection.section(model.overview)}
      ${linksSection(model, now, this.openedLinks, (key) => {
        if (!this.openedLinks.delete(key)) this.openedLinks.add(key);
        this.requestUpdate();
      })}
      ${relaysSection(model, now, this.modeChanger)}
      ${directorySection(model.overview, now)}`;
  }

  summary() {
    const { model } = this;
    const { overview } = model;
    const ranks = liveRanks(overview);
    const connected = ranks.filter((rank) => rank.state === 'CONNECTED').length;
    const lost = ranks.filter((rank) => rank.state === 'LOST').length;
    const links = siteLinks(overview);
    const up = links.filter((link) => link.state === 'UP').length;
    const [speed, unit] = bytesParts(roundOrNull(model.perSecond('bytes')));
    document.title = lost > 0 ? `${lost} lost · Posthouse` : 'Posthouse';
    return html`<dl class="summary">
      ${tile('Messages per second', rate(model.perSecond('messages')), '', spark(model.history('messages'),
        { width: 200, height: 34, label: 'Messages accepted from ranks' }))}
      ${tile('Bytes per second', speed, unit, spark(model.history('bytes'),
        { width: 200, height: 34, label: 'Bytes accepted from ranks', write: (n) => bytes(Math.round(n)) }))}
      ${tile('Ranks connected', count(connected), ranks.length > 0 ? `of ${count(ranks.length)}` : '',
        lost > 0 ? html`<span class="bad-text">${count(lost)} lost</span>` : ranks.length > 0 ? 'none lost'
          : 'no job runs')}
      ${tile('Links up', count(up), links.length > 0 ? `of ${count(links.length)}` : '',
        links.length > up ? html`<span class="bad-text">${plural(links.length - up, 'link')} not up</span>`
          : plural(sites(overview).length, 'site'))}
    </dl>`;
  }
}

function tile(name, figure, unit, foot) {
  return html`<div class="tile"><dt>${name}</dt>
    <dd><span class="figure">${figure}</span> <span class="unit">${unit}</span>
      <span class="foot">${foot}</span></dd></div>`;
}

function roundOrNull(value) {
  return value == null ? null : Math.round(value);
}

customElements.define('posthouse-console', PosthouseConsole);
