package org.posthouse.launch.provision;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The counts of tasks of an allocation's nodes, in Slurm's short form: {@code 8(x3),4} (SLURM_TASKS_PER_NODE). */
public final class SlurmTasks {
    private static final Pattern RUN = Pattern.compile("([1-9][0-9]{0,5})(?:\\(x([1-9][0-9]{0,5})\\))?");
    private static final int NODES_MAX = 100_000;

    private SlurmTasks() {}

    /**
     * One count for each node, in the allocation's order.
     *
     * @throws IllegalArgumentException in one line, if the text has another form
     */
    public static List<Integer> parse(String text) {
        List<Integer> counts = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            Matcher run = RUN.matcher(word);
            int times = run.matches() ? run.group(2) == null ? 1 : Integer.parseInt(run.group(2)) : 0;
            if (times == 0 || counts.size() + times > NODES_MAX) {
                throw new IllegalArgumentException("\"" + AgentOutput.printable(text) + "\" are no counts of tasks as Slurm writes them: 8(x3),4");
            }
            counts.addAll(Collections.nCopies(times, Integer.parseInt(run.group(1))));
        }
        return counts;
    }
}
