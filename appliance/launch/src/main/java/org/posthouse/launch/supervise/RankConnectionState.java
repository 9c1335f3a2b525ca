package org.posthouse.launch.supervise;

/** How a rank stands with its home relay, as far as that has told the launcher. */
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
