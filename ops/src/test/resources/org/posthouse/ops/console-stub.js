// Answers of the API for tests of the views that show them: known figures, whatever the relays of the test do.
{
  const now = Date.now();
  const size = window.stubSize ?? 16;
  const at = (s) => now - s * 1000;
  const cells = [];
  for (let rank = 0; rank < size; rank += 1) {
    for (const [by, share] of [[1, 1], [size - 1, 1], [4, 0.1]]) {
      cells.push([rank, (rank + by) % size, Math.round(1000 * share * (1 + rank)), Math.round(800_000 * share * (1 + rank))]);
    }
  }
  const bins = (rank, phase) => Array.from({ length: 300 }, (_, i) => (i > 180 && i < 205 && rank % 4 === 3 ? 0
    : Math.round(400 + 380 * Math.sin((i + phase) / 11) + 90 * ((i * 7 + rank * 13) % 5))));
  const events = [
    ['JOB_OPENED', -1, 'job nas.cg.ClassB of 16 ranks opened by user 1000'], ['LINK_UP', -1, 'the link to orsay-a is up over 3 lanes'],
    ['NODE_CONNECTED', -1, 'node rennes-0 offers 16 slots'], ['RANK_CONNECTED', 5, 'rank 5 has connected from node rennes-0'],
    ['CHECKPOINT', 3, 'rank 3 has stored a checkpoint of 4.1 MiB'], ['RANK_LOST', 5, 'rank 5 has lost its connection: process ended with status 137'],
    ['RANK_RESTARTED', 5, 'rank 5 was started again as incarnation 2'], ['RANK_CAUGHT_UP', 5, 'rank 5 has replayed 12,412 messages in 840 ms'],
    ['LINK_DOWN', -1, 'the link to lille is down: nothing was heard for 15 s'], ['MODE_CHANGED', -1, 'mode multiplexed to pooled: 16 ranks moved'],
    ['RANK_LOST', 11, 'rank 11 has lost its connection: its node does not answer'],
  ].map(([kind, rank, text], i) => ({
    id: i + 1, at: at(400 - i * 37), relay: i % 3 === 1 ? 'orsay-a' : 'rennes-a', kind, job: /LINK|NODE|MODE/.test(kind) ? '' : '1f4c9ae02b77d310', rank, text,
  }));
  const answers = {
    matrix: { job: '1f4c9ae02b77d310', size, at: now, cells, missing: window.stubMissing ?? [] },
    timeline: {
      job: '1f4c9ae02b77d310', size, from: at(300), stepMs: 1000, missing: [],
      ranks: Array.from({ length: size }, (_, rank) => ({
        rank, sent: bins(rank, rank * 3), delivered: bins(rank, rank * 3 + 6),
        waits: rank % 4 === 3 ? [{ from: at(119), to: at(96), call: `Recv(source ${rank - 1}, tag 7)` }] : [],
      })),
      marks: [{ at: at(215), rank: 5, kind: 'RANK_LOST' }, { at: at(208), rank: 5, kind: 'RANK_RESTARTED' }, { at: at(250), rank: 3, kind: 'CHECKPOINT' },
        { at: at(60), rank: -1, kind: 'LINK_DOWN' }],
    },
    waits: window.stubWaits ?? {
      job: '1f4c9ae02b77d310', cycles: [[0, 1], [4, 6, 9]],
      waits: [[0, [1]], [1, [0]], [4, [6]], [6, [9]], [9, [4]], [2, [0, 1], true], [7, [2, 3]]].map(([rank, peers, any]) => ({
        rank, call: any ? 'Recv(source ANY_SOURCE, tag 7)' : peers.length > 1 ? 'Waitall(2 requests)' : `Recv(source ${peers[0]}, tag 7)`,
        since: at(72 + rank), peers, any: any ?? false,
      })),
    },
    output: {
      job: '1f4c9ae02b77d310', size, older: 0, dropped: 1204, missing: [],
      lines: Array.from({ length: 60 }, (_, i) => ({
        at: at(90 - i), rank: (i * 5) % size, stream: i % 11 === 7 ? 'err' : 'out',
        text: i % 11 === 7 ? `WARN residual ${(1 / (i + 3)).toFixed(6)} above the bound, step ${i}` : `iteration ${i}  zeta = ${(28.9 + i / 1000).toFixed(13)}  0.${i}1e-12`,
      })),
    },
    'event-log': { events },
    history: {
      stepMs: 5000, from: at(900),
      series: Object.fromEntries(['messages', 'bytes', 'job 1f4c9ae02b77d310', 'relay rennes/rennes-a messagesIn', 'relay rennes/rennes-a messagesOut',
        'relay orsay/orsay-a messagesIn'].map((key, k) => [key, Array.from({ length: 180 }, (_, i) => (i < 6 ? null
        : (key === 'bytes' ? 1024 : 1) * Math.round(1800 + 1300 * Math.sin((i + 9 * k) / 9) + 250 * ((i * 5) % 7))))])),
    },
  };
  const asked = window.fetch;
  window.fetch = async (path, options) => {
    const name = String(path).split('?')[0].split('/').at(-1);
    if (String(path) === '/openapi.json') {
      const document = await (await asked(path, options)).json();
      for (const view of ['matrix', 'timeline', 'waits', 'output']) document.paths[`/api/v1/jobs/{id}/${view}`] = {};
      document.paths['/api/v1/event-log'] = {};
      document.paths['/api/v1/history'] = {};
      return Response.json(document);
    }
    if (name === 'output') {
      window.outputAsked = String(path);
      const query = new URLSearchParams(String(path).split('?')[1]);
      if (window.stubSecret && options.headers.Authorization !== `Bearer ${window.stubSecret}`) {
        return Response.json({ status: 401, error: 'user 65534 shows no secret' }, { status: 401 });
      }
      const lines = answers.output.lines.filter((line) => (!query.has('rank') || line.rank === Number(query.get('rank')))
        && line.text.toLowerCase().includes((query.get('search') ?? '').toLowerCase()));
      return Response.json({ ...answers.output, lines });
    }
    return answers[name] ? Response.json(answers[name]) : asked(path, options);
  };
}
