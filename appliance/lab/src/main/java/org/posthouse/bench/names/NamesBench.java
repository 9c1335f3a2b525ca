package org.posthouse.bench.names;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.names.NamesFigure.Growth;
import org.posthouse.bench.names.NamesFigure.Operation;
import org.posthouse.logstore.file.TemporaryFolder;

/** Measures one back end after the other; its points take turns. Confined to one thread. */
final class NamesBench {
    /** Inserts and reads before the first that counts. */
    private static final int WARM_UP = 10;

    /** Single entries are short, so they have more turns than batches. */
    private static final int PAYLOAD_TURNS = 5;

    private final NamesPlan plan;
    private final BenchWatch watch;
    private final List<NamesFigure> figures = new ArrayList<>();
    private final Map<NamesBackEnd, List<Double>> elections = new EnumMap<>(NamesBackEnd.class);
    private final Map<NamesBackEnd, String> labels = new EnumMap<>(NamesBackEnd.class);
    private int done;

    private NamesBench(NamesPlan plan, BenchWatch watch) {
        this.plan = plan;
        this.watch = watch;
    }

    static NamesReport measure(NamesPlan plan, BenchWatch watch) throws IOException, InterruptedException {
        NamesBench bench = new NamesBench(plan, watch);
        for (NamesBackEnd backEnd : plan.backEnds()) {
            try (TemporaryFolder folder = TemporaryFolder.make("posthouse-bench-names-"); NamesGroup group = backEnd.open(folder.path(), plan.way())) {
                bench.measure(backEnd, group);
            }
        }
        return new NamesReport(plan, bench.figures, bench.labels, bench.elections);
    }

    private void measure(NamesBackEnd backEnd, NamesGroup group) throws IOException, InterruptedException {
        labels.put(backEnd, group.label());
        List<NamesFigure> payloads = plan.payloads().stream().map(payload -> new NamesFigure(backEnd, Growth.PAYLOAD, payload, 1)).toList();
        List<NamesFigure> batches = plan.batches().stream()
                .map(entries -> new NamesFigure(backEnd, Growth.BATCH, NamesPlan.BATCH_PAYLOAD, entries)).toList();
        Inserts inserts = Inserts.open(group.frontEnd(0));
        inserts.insert(WARM_UP, NamesPlan.BATCH_PAYLOAD, true);
        inserts.read(WARM_UP, NamesPlan.BATCH_PAYLOAD);
        int phases = plan.repetitions() * (PAYLOAD_TURNS * payloads.size() + batches.size()) + plan.elections();
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (int turn = 0; turn < PAYLOAD_TURNS; turn++) {
                measure(payloads, inserts, phases);
            }
            measure(batches, inserts, phases);
        }
        figures.addAll(payloads);
        figures.addAll(batches);
        elections.put(backEnd, elect(backEnd, group, phases));
    }

    private void measure(List<NamesFigure> points, Inserts inserts, int phases) throws IOException, InterruptedException {
        for (NamesFigure point : points) {
            phase(point.backEnd(), point.growth().word() + " " + point.at() + " " + point.growth().unit(), phases);
            point.add(Operation.INSERT, inserts.insert(point.entries(), point.payload(), false));
            point.add(Operation.READ, inserts.read(point.entries(), point.payload()));
            point.add(Operation.LOCKED_INSERT, inserts.insert(point.entries(), point.payload(), true));
        }
    }

    private List<Double> elect(NamesBackEnd backEnd, NamesGroup group, int phases) throws IOException, InterruptedException {
        List<Double> seconds = new ArrayList<>();
        try (Elections all = new Elections(group)) {
            for (int each = 0; each < plan.elections(); each++) {
                phase(backEnd, "election " + (each + 1), phases);
                seconds.add(all.elect());
            }
        }
        return seconds;
    }

    private void phase(NamesBackEnd backEnd, String what, int phases) {
        watch.onPhase(backEnd.word() + " " + what, done++, plan.backEnds().size() * phases);
    }
}
