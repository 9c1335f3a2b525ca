package org.posthouse.names.raft;

import java.util.List;
import org.posthouse.names.NameChange;

/**
 * Changes of names behind one index of the log. Immutable.
 *
 * @param isGap whether older changes than these are missing, so that a listener must list what is bound
 * @param upTo the index that the changes reach to
 * @param changes in their order
 */
record ChangePage(boolean isGap, long upTo, List<NameChange> changes) {
    byte[] toBytes() {
        return new ByteWriter().flag(isGap).i64(upTo).changes(changes).toBytes();
    }

    static ChangePage read(byte[] bytes) throws MalformedException {
        ByteReader in = new ByteReader(bytes);
        boolean isGap = in.flag("whether changes are missing");
        ChangePage page = new ChangePage(isGap, in.i64("an index", -1), in.changes());
        in.end();
        return page;
    }
}
