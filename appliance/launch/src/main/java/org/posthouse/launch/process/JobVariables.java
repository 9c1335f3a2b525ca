package org.posthouse.launch.process;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.progress.Settings;

/** The environment variables that tell the library in each process of a job what may become of ranks that die. */
public final class JobVariables {
    /** All of them. A launcher that is a rank of another job has those of that. */
    static final List<String> NAMES = List.of(Settings.REPLICATED, Endpoints.TELLS_DEATHS, Endpoints.REBUILD_RANKS);

    private JobVariables() {}

    /** Those of a job, with their values. */
    public static Map<String, String> of(JobSpec spec) {
        Map<String, String> variables = new HashMap<>();
        if (spec.replicas().areWanted()) {
            variables.put(Settings.REPLICATED, "yes");
        }
        if (spec.logged() && spec.tellsProgram()) {
            variables.put(Endpoints.TELLS_DEATHS, "yes");
        }
        if (spec.rebuilds()) {
            variables.put(Endpoints.REBUILD_RANKS, Integer.toString(spec.ranks()));
        }
        return variables;
    }
}
