// The addresses of the console's views. A view is named by the path alone; each path is one that the server answers with
// the document, so that a deep link and a reload work.

const VIEWS_OF_JOB = ['matrix', 'timeline', 'waits', 'output'];

/** @returns {{name: string, id?: string}} `missing` if the path is no view's */
export function parse(pathname) {
  const parts = pathname.split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  const [first, id, view] = parts;
  if (parts.length === 0) return { name: 'grid' };
  if (parts.length === 1 && ['nodes', 'names', 'events'].includes(first)) return { name: first };
  if (parts.length === 2 && first === 'relays') return { name: 'relay', id: decoded(id) };
  if (parts.length === 2 && first === 'jobs') return { name: 'job', id: decoded(id) };
  if (parts.length === 3 && first === 'jobs' && VIEWS_OF_JOB.includes(view)) return { name: view, id: decoded(id) };
  return { name: 'missing' };
}

export function pathOf(view) {
  const id = view.id == null ? '' : encodeURIComponent(view.id);
  if (view.name === 'grid') return '/';
  if (view.name === 'relay') return `/relays/${id}`;
  if (view.name === 'job') return `/jobs/${id}`;
  return VIEWS_OF_JOB.includes(view.name) ? `/jobs/${id}/${view.name}` : `/${view.name}`;
}

export const relayPath = (relay) => pathOf({ name: 'relay', id: relay });
export const jobPath = (job, name = 'job') => pathOf({ name, id: job });

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // Not encoded by us: shown as it is, and found nowhere.
  }
}

/** Follows links to views without loading the document again, and the browser's back and forward. */
export class Router {
  /** @param onView called with the new view when the address has changed */
  constructor(onView) {
    this.onView = onView;
    this.view = parse(location.pathname);
    this.onClick = (event) => this.clicked(event);
    this.onPop = () => this.show();
  }

  start() {
    document.addEventListener('click', this.onClick);
    addEventListener('popstate', this.onPop);
  }

  stop() {
    document.removeEventListener('click', this.onClick);
    removeEventListener('popstate', this.onPop);
  }

  clicked(event) {
    const link = event.target.closest?.('a[href]');
    const modified = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!link || modified || event.defaultPrevented || link.hasAttribute('target') || link.hasAttribute('download')) return;
    const to = new URL(link.href.baseVal ?? link.href, location.href);
    if (to.origin !== location.origin || to.hash || parse(to.pathname).name === 'missing') return;
    event.preventDefault();
    if (to.pathname + to.search !== location.pathname + location.search) history.pushState(null, '', to.pathname + to.search);
    this.show();
    scrollTo(0, 0);
  }

  show() {
    this.view = parse(location.pathname);
    this.onView(this.view);
  }
}
