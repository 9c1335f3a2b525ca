package org.posthouse.core;

import java.util.List;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;

/**
 * The port to a follower: a process that observes a rank's history behind the rank's leader and has no effects. After
 * {@link #promoted} it is the port of the rank itself. Called by the core's owner only.
 */
public interface FollowerPort extends RankPort {
    /**
     * The process leads the rank from here on: its history goes on to its end, as that of a process that has just
     * started. Like a welcome, it must not leave before the log is safe up to where it stands now.
     *
     * @param welcome with the incarnation that the process has from now on
     * @param state what the relay knows of the rank's channels
     */
    void promoted(Welcome welcome, List<StatePage.Entry> state);

    /**
     * The rank's leader has sent these messages, they are stable, and they are what the follower would have sent. The
     * follower may drop its copies of them.
     */
    void confirmed(List<TransferId> messages);
}
