package org.posthouse.bench.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.launch.install.Installation;
import org.posthouse.mpj.ArgumentWords;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.mpj.coll.Algorithms;
import org.posthouse.mpj.progress.Settings;

/**
 * Variables of a bench's own environment that its ranks and relays get. Values that a bench's variant names override
 * them for its ranks.
 */
public final class BenchEnvironment {
    private static final List<String> NAMES = List.of(
            Settings.EAGER_MAX, Settings.BUSY_POLL, Settings.KEPT_MAX, Settings.RECONNECT_S, Settings.AHEAD, Algorithms.VARIABLE,
            Endpoints.CHECKPOINT_MS, ArgumentWords.VARIABLE, LocalSockets.VARIABLE, Installation.RANK_JAVA_HOME);

    private BenchEnvironment() {}

    /** Empty if it says nothing. */
    public static Map<String, String> found() {
        return in(System.getenv());
    }

    /** The same of {@code environment}. */
    public static Map<String, String> in(Map<String, String> environment) {
        Map<String, String> found = new LinkedHashMap<>();
        NAMES.stream().filter(environment::containsKey).forEach(name -> found.put(name, environment.get(name)));
        return found;
    }
}
