package org.posthouse.cli.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.cli.terminal.TextTable;
import org.posthouse.plan.CheckpointPlan;
import org.posthouse.plan.DegreeRisk;
import org.posthouse.plan.FailurePlan;
import org.posthouse.plan.Weibull;

/**
 * What {@code posthouse plan} answers. Immutable.
 *
 * @param job what was asked about
 * @param source where the parameters of the hosts come from, for people; empty if they were given
 * @param target the probability that is to be reached, if one was named
 * @param checkpoints of a logged job, if their cost was named
 */
record PlanAnswer(FailurePlan.Job job, String source, FailurePlan plan, Optional<Double> target, Optional<CheckpointPlan> checkpoints) {
    private static final double PER_HOUR = 3_600;

    Optional<DegreeRisk> smallest() {
        return target.flatMap(plan::smallest);
    }

    String text() {
        StringBuilder text = new StringBuilder();
        target.ifPresent(most -> line(text, smallest()
                .map(found -> "Smallest degree with P at most " + Quantities.number(most) + ": " + described(found))
                .orElseGet(() -> "No degree up to " + plan.degrees().getLast().degree() + " has P at most " + Quantities.number(most))));
        DegreeRisk lowest = plan.lowest();
        boolean isLast = lowest.degree() == plan.degrees().getLast().degree() && lowest.degree() > 1;
        line(text, "Lowest P: " + described(lowest) + (isLast ? ", the highest degree that was looked at" : ""));
        Weibull host = job.host();
        line(text, "Hosts fail with lambda " + Quantities.number(host.lambda() * PER_HOUR) + "/h and delta " + Quantities.number(host.delta())
                + (source.isEmpty() ? "" : ", " + source));
        line(text, "");
        text.append(table());
        checkpoints.ifPresent(found -> {
            line(text, "");
            line(text,
                    "A logged job with one copy of each rank: a checkpoint every " + Quantities.time(found.intervalSeconds())
                            + " costs least; with restarts it takes "
                            + Quantities.number(100 * found.slowdown()) + " % longer, and " + Quantities.number(found.restarts())
                            + " restarts of hosts are to be expected");
        });
        return text.toString();
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append(System.lineSeparator());
    }

    private static String described(DegreeRisk found) {
        return found.degree() + " (P " + Quantities.probability(found.worst()) + ", " + found.hosts() + (found.hosts() == 1 ? " host, " : " hosts, ")
                + Quantities.time(found.seconds()) + ")";
    }

    private String table() {
        boolean sites = job.sites().isPresent();
        List<List<String>> rows = new ArrayList<>();
        rows.add(row(sites, "R", "HOSTS", "TIME", "P", "P WITH SITES", "P WITH RESTART"));
        for (DegreeRisk each : plan.degrees()) {
            rows.add(row(sites, Integer.toString(each.degree()), Long.toString(each.hosts()), Quantities.time(each.seconds()),
                    Quantities.probability(each.failure()), Quantities.probability(each.worst()), Quantities.probability(each.withRestart())));
        }
        return TextTable.of(rows, column -> true);
    }

    private static List<String> row(boolean sites, String... columns) {
        List<String> row = new ArrayList<>(List.of(columns));
        if (!sites) {
            row.remove(columns.length - 2);
        }
        return row;
    }

    String json() {
        ObjectNode root = JsonNodeFactory.instance.objectNode()
                .put("ranks", job.ranks())
                .put("lambdaPerSecond", job.host().lambda())
                .put("delta", job.host().delta())
                .put("source", source)
                .put("lowest", plan.lowest().degree());
        target.ifPresent(most -> root.put("target", most).put("smallest", smallest().map(DegreeRisk::degree).orElse(null)));
        checkpoints.ifPresent(found -> root.putObject("checkpoints")
                .put("intervalSeconds", found.intervalSeconds())
                .put("slowdown", found.slowdown())
                .put("restarts", found.restarts()));
        for (DegreeRisk each : plan.degrees()) {
            ObjectNode row = root.withArray("degrees").addObject()
                    .put("degree", each.degree())
                    .put("hosts", each.hosts())
                    .put("seconds", each.seconds())
                    .put("failure", each.failure())
                    .put("failureWithRestart", each.withRestart());
            each.withSites().ifPresent(failure -> row.put("failureWithSites", failure));
        }
        return root.toString();
    }
}
