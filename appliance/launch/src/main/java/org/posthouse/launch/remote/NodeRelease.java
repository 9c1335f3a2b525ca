package org.posthouse.launch.remote;

import java.io.IOException;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.Token;

/** Frees the slots of a job that has no launcher any more. */
public final class NodeRelease {
    private NodeRelease() {}

    /**
     * Has every agent of a relay end the job, if it has it. Agents that are away keep it for the launcher's timeout.
     *
     * @throws JobFailure in one line if the relay is gone
     */
    public static void send(RelayClient line, long job, Token key) throws JobFailure {
        line.listenAgents((type, frame) -> {}); // Their answers change nothing.
        for (AgentOffer offer : line.nodes()) {
            send(line, job, offer.agent(), new AgentMessage.Attach(key));
            send(line, job, offer.agent(), new AgentMessage.Release(key));
        }
    }

    private static void send(RelayClient line, long job, long agent, AgentMessage message) throws JobFailure {
        try {
            line.send(AgentEnvelope.of(job, agent, 0, message).encode());
        } catch (IOException e) {
            throw new JobFailure("the agents of " + line + " cannot be told of the job's end: " + e.getMessage(), e);
        }
    }
}
