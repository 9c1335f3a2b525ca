package org.posthouse.core;

/**
 * What the cores of a relay may take of its memory for unexpected messages whose senders are done with them. A message takes of it when it has to wait, and none when its receive is there.
 * Cores of one relay share one, which is thread-safe then: so two ranks may use all of it whichever cores they are at.
 */
public interface UnexpectedPool {
    /** An equal share of a relay's pool, for a core that shares nothing with the relay's others. */
    static UnexpectedPool own(CoreConfig config, int shards) {
        return new OwnUnexpectedPool(config, shards);
    }

    /** Takes an envelope of a message that is in the log; false if there are too many. */
    boolean takeLogged();

    /** Takes one whatever there is: it is there. */
    void takeRestored();

    void giveBackLogged(int count);

    /** Takes the memory of a message that is nowhere else; false if there is none. */
    boolean takeBytes(long count);

    void giveBackBytes(long count);
}
