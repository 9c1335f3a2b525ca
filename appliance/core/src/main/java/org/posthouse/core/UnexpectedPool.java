package org.posthouse.core;

/**
 * The relay's memory for unexpected messages whose senders are done with them. A message takes memory of it when it has
 * to wait, and none when its receive is posted. Cores of one relay may share a pool, which is then thread-safe. So two
 * ranks may use all of it at any cores.
 */
public interface UnexpectedPool {
    /** An equal share of a relay's pool, for a core that shares nothing with the relay's others. */
    static UnexpectedPool own(CoreConfig config, int shards) {
        return new OwnUnexpectedPool(config, shards);
    }

    /** Takes an envelope of a message that is in the log; false if there are too many. */
    boolean takeLogged();

    /** Counts an envelope without a limit: the message is already there. */
    void takeRestored();

    void giveBackLogged(int count);

    /** Takes the memory of a message that is not in the log; false if there is none. */
    boolean takeBytes(long count);

    void giveBackBytes(long count);
}
