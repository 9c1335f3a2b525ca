package org.posthouse.names.raft;

import java.nio.charset.StandardCharsets;
import org.posthouse.names.raft.Frame.Answer;

/** What a judge has answered. Immutable. */
record JudgeReply(Answer answer, byte[] content) {
    static JudgeReply done(byte[] content) {
        return new JudgeReply(Answer.DONE, content);
    }

    /** @param leader its id; empty if it is not known */
    static JudgeReply notLeader(String leader) {
        return new JudgeReply(Answer.NOT_LEADER, leader.getBytes(StandardCharsets.UTF_8));
    }

    static JudgeReply failed(String why) {
        return new JudgeReply(Answer.FAILED, why.getBytes(StandardCharsets.UTF_8));
    }

    String text() {
        return new String(content, StandardCharsets.UTF_8);
    }
}
