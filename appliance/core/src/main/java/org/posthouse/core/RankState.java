package org.posthouse.core;

/** The life of a rank, as its home relay sees it. */
public enum RankState {
    /** Its process has not connected yet. */
    WAITING,
    /** Connected, and between Init and Finalize. */
    CONNECTED,
    /** Asked to connect again, it has stopped writing; all that it wrote was handled, and it has not come yet. */
    MOVING,
    /** Its connection ended without Finalize, in a job that is logged: its next incarnation is awaited. */
    AWAY,
    /** A later incarnation has come and is brought to where the last one was. */
    REPLAYING,
    /** It called Finalize; what happens to its connection does not matter any more. */
    FINALIZED,
    /** Its connection ended without Finalize, and nobody is awaited. */
    LOST;

    boolean mayBecome(RankState next) {
        return switch (this) {
            case WAITING -> next == CONNECTED || next == REPLAYING || next == AWAY || next == LOST;
            case CONNECTED -> next == FINALIZED || next == LOST || next == MOVING || next == AWAY;
            case MOVING -> next == CONNECTED || next == LOST || next == AWAY;
            case AWAY -> next == REPLAYING || next == LOST;
            case REPLAYING -> next == CONNECTED || next == AWAY || next == LOST;
            case FINALIZED -> next == REPLAYING;
            case LOST -> false;
        };
    }
}
