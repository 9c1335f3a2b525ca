package org.posthouse.launch.agent;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.posthouse.launch.reserve.SlotLimits;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.Token;

/**
 * How an agent is started.
 *
 * @param relay host:port where its relay listens for ranks and launchers
 * @param token the relay's launch token; {@link Token#NONE} if the relay is a process of this user on this host
 * @param keys the node's keys folder; with it, the certificate takes the token's place
 * @param name the node's name, for people
 * @param host the host's identity: agents with the same one share a host
 * @param limits how much of the node is lent
 * @param labels words that jobs can ask for, by name; one with {@link AgentOffer#JOB_LABEL} serves that job alone
 * @param joinMs how long an agent that has joined a job waits for it; 0: the agent does not end with a job
 * @param users users whose jobs are taken; empty: all that the relay lets in
 * @param folder where staged files and the folders of jobs are
 * @param stageBytes room for staged files
 */
public record AgentSettings(
        String relay,
        Token token,
        Optional<Path> keys,
        String name,
        String host,
        SlotLimits limits,
        Map<String, String> labels,
        long joinMs,
        Set<String> users,
        Path folder,
        long stageBytes) {
    public AgentSettings {
        labels = Map.copyOf(labels);
        users = Set.copyOf(users);
    }

    /** Of an agent that does not end with a job. */
    public AgentSettings(
            String relay, Token token, Optional<Path> keys, String name, String host, SlotLimits limits, Map<String, String> labels, Set<String> users,
            Path folder, long stageBytes) {
        this(relay, token, keys, name, host, limits, labels, 0, users, folder, stageBytes);
    }

    /** Name of the job that the agent serves alone; empty if it serves all. */
    public String job() {
        return labels.getOrDefault(AgentOffer.JOB_LABEL, "");
    }
}
