package org.posthouse.ops;

import io.vertx.core.buffer.Buffer;

/** One event of the live stream, which is packed when the first page wants it so, once for all. Confined to the console's event loop. */
final class StreamEvent {
    private final Buffer text;
    private Buffer packed;

    StreamEvent(Buffer text) {
        this.text = text;
    }

    StreamEvent(String text) {
        this(Buffer.buffer(text));
    }

    Buffer text() {
        return text;
    }

    /** @return as of {@link EventPacker#pack} */
    Buffer packed(EventPacker packer) {
        if (packed == null) {
            packed = packer.pack(text);
        }
        return packed;
    }
}
