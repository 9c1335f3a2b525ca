package org.posthouse.launch.supervise;

/** State of a rank's connection to its home relay, as far as the relay has reported it. */
enum RankConnectionState {
    /** It never came. */
    NONE,
    CONNECTED,
    /** Logged jobs: its connection ended, and the relay waits for it, or for its next incarnation. */
    AWAY,
    /** Logged jobs: it came again and is getting what it had. */
    REPLAYING,
    /** It said goodbye. */
    FINALIZED,
    /** Its connection ended, and it may not come again. */
    LOST
}
