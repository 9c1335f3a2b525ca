package org.posthouse.tunnel.query;

import io.vertx.core.Future;

/** Answers questions of other relays. Called on the relay's context. */
public interface QueryResponder {
    /**
     * @param relay the relay that asks; its certificate is the grid's
     * @param query the question
     * @return the answer; fails with one line if there is none
     */
    Future<byte[]> answer(String relay, String query);
}
