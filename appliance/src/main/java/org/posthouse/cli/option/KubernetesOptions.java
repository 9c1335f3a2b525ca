package org.posthouse.cli.option;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.provision.LaunchedAgents;
import org.posthouse.launch.provision.StandingAgents;
import org.posthouse.wire.Token;
import picocli.CommandLine.Option;

/** Agents as the Pods of a Kubernetes Job. */
public final class KubernetesOptions {
    @Option(
            names = "--kubernetes",
            paramLabel = "FILE",
            description = "The manifest of an Indexed Job whose Pods run agents, such as ops/kubernetes/agents.yaml, which is created with a name of its own.")
    private Path manifest;

    @Option(names = "--pods", paramLabel = "N", description = "How many Pods the Job of --kubernetes has (default: the completions of the file).")
    private Integer pods;

    @Option(
            names = "--kubectl",
            paramLabel = "COMMAND",
            defaultValue = "kubectl",
            description = "The command for --kubernetes, such as 'kubectl --context site-a' (default: kubectl).")
    private String kubectl;

    /** Whether they are asked for. */
    public boolean isGiven() {
        return manifest != null;
    }

    /** @throws CommandFailure if the options do not fit each other */
    public void check() throws CommandFailure {
        if (manifest == null && pods != null) {
            throw new CommandFailure("--pods is for --kubernetes: give both");
        }
        if (pods != null && pods < 1) {
            throw new CommandFailure("--pods " + pods + ", expected 1 or more");
        }
    }

    private int count() {
        return pods == null ? 0 : pods;
    }

    LaunchedAgents launch(List<String> relays, Token token, Consumer<String> show) throws JobFailure {
        return LaunchedAgents.start(kubectl, manifest, count(), relays, token, show);
    }

    /**
     * Creates the Job of agents that stand.
     *
     * @param relay for agents, if the manifest names none
     * @return a line for people
     */
    public String createStanding(String relay) throws JobFailure {
        return StandingAgents.create(kubectl, manifest, count(), relay);
    }
}
