package org.posthouse.launch.remote;

import java.util.List;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;

/** Agents that have joined a job by its name, and what they are told of it. */
final class JoinedAgents {
    /** Most characters of a reason; more do not fit a message in every alphabet. */
    private static final int CHARACTERS_MAX = 1_000;

    private JoinedAgents() {}

    /** Those of the agents that have joined this job. */
    static List<AgentOffer> of(String job, List<AgentOffer> offers) {
        return offers.stream().filter(offer -> job.equals(offer.labels().get(AgentOffer.JOB_LABEL))).toList();
    }

    /** Ends an agent with its job. */
    static AgentMessage.JobEnded ended(String job, int status, String why) {
        return new AgentMessage.JobEnded(job, status, cut(why));
    }

    /** Tells an agent that its job waits for others. */
    static AgentMessage.JobWaits waits(String job, String standing) {
        return new AgentMessage.JobWaits(job, cut(standing));
    }

    private static String cut(String text) {
        return text.length() <= CHARACTERS_MAX ? text : text.substring(0, CHARACTERS_MAX);
    }
}
