package org.posthouse.bench.names;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.names.NamesFigure.Growth;
import org.posthouse.bench.names.NamesFigure.Operation;
import org.posthouse.logstore.file.TemporaryFolder;

/** Measures one back end after the other; its points take turns. Confined to one thread. */
final class NamesBench {
    /** Inserts and reads before the first that counts. */
    private static final int WARM_UP = 10;

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
        List<NamesFigure> points = Stream.concat(
                plan.payloads().stream().map(payload -> new NamesFigure(backEnd, Growth.PAYLOAD, payload, 1)),
                plan.batches().stream().map(entries -> new NamesFigure(backEnd, Growth.BATCH, NamesPlan.BATCH_PAYLOAD, entries))).toList();
        Inserts inserts = Inserts.open(group.frontEnd(0));
        inserts.insert(WARM_UP, NamesPlan.BATCH_PAYLOAD, true);
        inserts.read(WARM_UP, NamesPlan.BATCH_PAYLOAD);
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (NamesFigure point : points) {
                phase(backEnd, point.growth().word() + " " + point.at() + " " + point.growth().unit(), points.size());
                point.add(Operation.INSERT, inserts.insert(point.entries(), point.payload(), false));
                point.add(Operation.READ, inserts.read(point.entries(), point.payload()));
                point.add(Operation.LOCKED_INSERT, inserts.insert(point.entries(), point.payload(), true));
            }
        }
        figures.addAll(points);
        elections.put(backEnd, elect(backEnd, group, points.size()));
    }

    private List<Double> elect(NamesBackEnd backEnd, NamesGroup group, int points) throws IOException, InterruptedException {
        List<Double> seconds = new ArrayList<>();
        try (Elections all = new Elections(group)) {
            for (int each = 0; each < plan.elections(); each++) {
                phase(backEnd, "election " + (each + 1), points);
                seconds.add(all.elect());
            }
        }
        return seconds;
    }

    private void phase(NamesBackEnd backEnd, String what, int points) {
        watch.onPhase(backEnd.word() + " " + what, done++, plan.backEnds().size() * (points * plan.repetitions() + plan.elections()));
    }
}
