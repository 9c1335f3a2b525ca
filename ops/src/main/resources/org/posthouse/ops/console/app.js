// The console: one element that owns the model and the live feed, and draws the view of the address once per event.

import { LitElement, html, nothing } from 'lit';
import { Model, changes } from '/console/model.js';
import { LiveFeed } from '/console/live.js';
import { Router, jobPath, parse } from '/console/router.js';
import { duration } from '/console/format.js';
import { missing } from '/console/parts.js';
import { ModeChanger } from '/console/mode.js';
import { Question } from '/console/question.js';
import { alarm, gridPage } from '/console/grid.js';
import { relayPage } from '/console/relay.js';
import { jobPage } from '/console/job.js';
import { nodesOf, nodesSection } from '/console/nodes.js';
import { EventLog } from '/console/eventlog.js';
import { eventsOfJob, eventsPage } from '/console/events.js';
import { MatrixPage } from '/console/matrix.js';
import { TimelinePage } from '/console/timeline.js';
import { waitsPage } from '/console/waits.js';
import { outputDrawn, outputPage, outputQuery } from '/console/output.js';
import { namesPage, namesQuery } from '/console/names.js';
import { Poller } from '/console/poll.js';
import { Account } from '/console/login.js';

const BEAT_MS = 1000;

const EVENT_LOG = '/api/v1/event-log';

/** Views whose data the live stream does not carry, and where it is. */
const NAMES = '/api/v1/names';
const ASKED = new Map([...['matrix', 'timeline', 'waits', 'output'].map((name) => [name, `/api/v1/jobs/{id}/${name}`]), ['names', NAMES]]);

const PAGES = {
  grid: gridPage,
  relay: relayPage,
  job: jobPage,
  events: eventsPage,
  matrix: (page) => page.matrix.draw(page),
  timeline: (page) => page.timeline.draw(page),
  waits: waitsPage,
  output: outputPage,
  names: namesPage,
  nodes: (page) => nodesSection(page.model, page.now, nodesOf(page.model.overview), page.question),
};

class PosthouseConsole extends LitElement {
  constructor() {
    super();
    const redraw = () => this.requestUpdate();
    this.model = new Model();
    this.streamState = 'connecting';
    this.told = '';
    this.question = new Question(redraw);
    this.modeChanger = new ModeChanger(redraw);
    this.matrix = new MatrixPage(redraw);
    this.timeline = new TimelinePage(redraw);
    this.poller = new Poller(redraw);
    this.eventLog = new EventLog();
    this.account = new Account(redraw);
    this.feed = new LiveFeed(this);
    this.router = new Router(() => this.turned());
    /** What views keep while the user looks at others. */
    this.kept = { openedLinks: new Set(), wholeJobs: new Set(), askedFor: new Map(), follow: true, allEnded: false, paths: new Set() };
  }

  /** The page is one document with one style sheet, not a widget: no shadow tree. */
  createRenderRoot() {
    this.replaceChildren(); // What the document shows until then.
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.router.start();
    this.begin();
    this.beat = setInterval(() => {
      if (this.begun) this.feed.beat();
      if (this.streamState === 'live') this.model.beQuiet(Date.now());
      this.requestUpdate();
    }, BEAT_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.beat);
    this.router.stop();
    this.feed.stop();
    this.poller.use(null);
  }

  /** Nothing is heard or asked for before the relay has said who this is. */
  async begin() {
    await this.account.check();
    if (this.account.needed || !this.isConnected) return;
    this.question.mayOrder = this.account.mayOrder;
    this.modeChanger.mayOrder = this.account.mayOrder;
    this.begun = true;
    this.feed.start();
    await this.ask();
  }

  /** What this relay's version can tell, and what it knows of the minutes before. */
  async ask() {
    const document = await got('/openapi.json');
    if (!document) return; // The stream says that the relay is away.
    const paths = new Set(Object.keys(document.paths));
    this.kept.paths = paths;
    this.requestUpdate();
    const history = paths.has('/api/v1/history') && await got('/api/v1/history');
    if (history) this.model.acceptHistory(history);
    const log = paths.has(EVENT_LOG) && await got(`${EVENT_LOG}?limit=2000`);
    if (log) this.log(log.events);
    this.requestUpdate();
  }

  updated() {
    this.modeChanger.drawn(this);
    this.question.drawn(this);
    const { name, id } = this.router.view;
    if (name === 'relay' || name === 'job') import('/console/chart.js'); // After the first drawing: its library is the largest file.
    const asked = ASKED.get(name);
    const query = name === 'output' ? outputQuery(location.search) : name === 'names' ? namesQuery(location.search) : '';
    this.poller.use(asked && this.kept.paths.has(asked) ? `${asked.replace('{id}', encodeURIComponent(id))}${query}` : null);
    if (name === 'output') outputDrawn(this, this.kept.follow);
  }

  overview(overview) {
    const before = this.model.overview;
    this.model.accept(overview, Date.now());
    const news = changes(before, this.model.overview);
    if (news.length > 0) this.told = news.join(' ');
    this.requestUpdate();
  }

  log(events) {
    this.eventLog.accept(events);
    this.requestUpdate();
  }

  state(state) {
    if (state === 'denied') location.reload(); // With the login, at the same address.
    if (state === 'lost') this.told = 'The live stream is lost; reconnecting.';
    else if (state === 'live' && this.streamState === 'lost') this.told = 'The live stream is back.';
    this.streamState = state;
    this.requestUpdate();
  }

  /** Another view: who reads it by ear or keyboard begins at its top. */
  turned() {
    this.requestUpdate();
    this.updateComplete.then(() => this.querySelector('#main').focus({ preventScroll: true }));
  }

  render() {
    if (this.account.needed) {
      document.title = 'Log in · Posthouse';
      return html`<header class="top"><h1><img src="/console/favicon.svg" alt="" width="26" height="26">Posthouse</h1></header>
        <main id="main" tabindex="-1">${this.account.page()}</main>`;
    }
    const now = this.model.now(Date.now());
    const view = this.router.view;
    document.title = this.title(view);
    return html`
      ${this.header(view)}
      <div class="visually-hidden" role="status" aria-live="polite">${this.told}</div>
      ${this.streamState === 'lost' ? this.banner() : nothing}
      <main id="main" tabindex="-1" class=${this.streamState === 'lost' ? 'stale' : ''}>${this.content(view, now)}</main>
      ${this.model.overview ? this.modeChanger.dialog(this.model.overview) : nothing}
      ${this.question.dialog()}
      <footer><p>The same data: <a href="/api/v1/relays">relays</a>, <a href="/api/v1/jobs">jobs</a>,
        <a href="/metrics">metrics</a>, <a href="/openapi.json">OpenAPI</a>.</p></footer>`;
  }

  content(view, now) {
    if (view.name === 'missing') {
      return missing('No such page', html`Nothing is at <span class="code">${location.pathname}</span>. An old link may name what is gone.`);
    }
    if (!this.model.overview) return html`<p class="first-wait">Waiting for the first overview…</p>`;
    return PAGES[view.name](this.page(view, now));
  }

  /** What a view may read and call. */
  page(view, now) {
    const { kept } = this;
    const change = (action) => (...of) => {
      action(...of);
      this.requestUpdate();
    };
    return {
      view, now, model: this.model, modeChanger: this.modeChanger, question: this.question, eventLog: this.eventLog,
      matrix: this.matrix, timeline: this.timeline, poller: this.poller, ...kept,
      eventsOf: (job) => eventsOfJob(this.page(view, now), job),
      filterEvents: change((filter) => {
        const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
        history.replaceState(null, '', query ? `/events?${query}` : '/events');
      }),
      filterOutput: change((job, filter) => {
        const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
        history.replaceState(null, '', `${jobPath(job, 'output')}${query ? `?${query}` : ''}`);
      }),
      filterNames: change((filter) => {
        const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
        history.replaceState(null, '', query ? `/names?${query}` : '/names');
      }),
      followOutput: change((follow) => { kept.follow = follow; }),
      toggleLink: change((key) => kept.openedLinks.delete(key) || kept.openedLinks.add(key)),
      showWhole: change((job) => kept.wholeJobs.add(job)),
      showEnded: change(() => { kept.allEnded = true; }),
    };
  }

  title(view) {
    const { overview } = this.model;
    const job = overview?.jobs.find((one) => one.id === view.id);
    const name = {
      grid: '', nodes: 'Nodes', names: 'Names', events: 'Events', missing: 'No such page', relay: `Relay ${view.id}`, job: job?.name ?? `Job ${view.id}`,
      matrix: `Matrix of ${job?.name ?? view.id}`, timeline: `Timeline of ${job?.name ?? view.id}`, waits: `Waits of ${job?.name ?? view.id}`,
      output: `Output of ${job?.name ?? view.id}`,
    }[view.name];
    return [overview ? alarm(overview) : '', name, 'Posthouse'].filter(Boolean).join(' · ');
  }

  header(view) {
    const words = { live: 'Live', lost: 'Reconnecting', connecting: 'Connecting' };
    const overview = this.model.overview;
    const versions = overview ? [...new Set(overview.relays.map((relay) => relay.version))].join(', ') : '';
    const nodes = overview ? nodesOf(overview).length : 0;
    const entry = (href, text, count) => html`<a href=${href} aria-current=${view.name === parse(href).name ? 'page' : nothing}
      >${text}${count > 0 ? html` <span class="count">${count}</span>` : nothing}</a>`;
    return html`<header class="top">
      <h1><img src="/console/favicon.svg" alt="" width="26" height="26">Posthouse</h1>
      <nav class="pages" aria-label="Pages">
        ${entry('/', 'Grid', 0)}
        ${entry('/nodes', 'Nodes', nodes)}
        ${this.kept.paths.has(NAMES) ? entry('/names', 'Names', 0) : nothing}
        ${this.kept.paths.has(EVENT_LOG) || this.eventLog.heard ? entry('/events', 'Events', 0) : nothing}
      </nav>
      <p class="where">${versions}</p>
      ${this.account.mark()}
      <p class="stream ${this.streamState}"><span class="dot" aria-hidden="true"></span>${words[this.streamState]}</p>
    </header>`;
  }

  banner() {
    const since = duration(Date.now() - this.feed.heardAt);
    return html`<div class="banner"><strong>Reconnecting.</strong> The relay's process has not answered for ${since},
      or too many pages are open. ${this.model.overview ? 'What you see is the last known state.' : nothing}
      <button type="button" @click=${() => this.feed.open()}>Try now</button></div>`;
  }
}

/** The JSON at a path; null if there is none. */
async function got(path) {
  const answer = await fetch(path).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

customElements.define('posthouse-console', PosthouseConsole);
