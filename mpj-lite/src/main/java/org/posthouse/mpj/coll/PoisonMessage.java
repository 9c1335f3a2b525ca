package org.posthouse.mpj.coll;

import java.nio.ByteBuffer;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.operation.Content;

/**
 * A message sent in place of every message after a failure. It fits no receive, so that ranks that would get wrong data
 * get an error, and none waits for ever. Stateless.
 */
final class PoisonMessage implements Content {
    static final PoisonMessage MESSAGE = new PoisonMessage();

    private PoisonMessage() {}

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public int elements() {
        return 1;
    }

    @Override
    public int datatype() {
        return Base.SPOILED;
    }

    @Override
    public void write(long from, ByteBuffer out) {
        // There are no bytes to write.
    }
}
