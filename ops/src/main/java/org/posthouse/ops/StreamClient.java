package org.posthouse.ops;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32;

/** One open page of the live stream, with or without gzip as it asks for. Confined to the console's event loop. */
final class StreamClient {
    /** Deflate, no flags, no time, unknown system: RFC 1952, 2.3. */
    private static final byte[] GZIP_HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    /** The last block of a deflate stream, without content. */
    private static final byte[] LAST_BLOCK = {3, 0};

    /** The last overview that was sent. */
    Overview seen;

    /** The console's number of the last event that was sent. */
    long seenEvent;

    int quietTicks;
    int stalledTicks;

    private final HttpServerResponse response;
    private final EventPacker packer;
    private final BooleanSupplier allowed;
    private final boolean isPacked;
    private final CRC32 crc = new CRC32();
    private int bytes;

    /** @param allowed whether who opened it may still look */
    StreamClient(HttpServerRequest request, EventPacker packer, BooleanSupplier allowed) {
        this.response = request.response();
        this.allowed = allowed;
        this.packer = packer;
        this.isPacked = Gzip.isAccepted(request);
    }

    void begin() {
        response.setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream; charset=utf-8").putHeader(HttpHeaders.VARY,
                HttpHeaders.ACCEPT_ENCODING);
        if (isPacked) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, Gzip.NAME).write(Buffer.buffer(GZIP_HEAD));
        }
    }

    void write(StreamEvent event) {
        if (isPacked) {
            crc.update(event.text().getBytes());
            bytes += event.text().length();
            response.write(event.packed(packer));
        } else {
            response.write(event.text());
        }
    }

    boolean isAllowed() {
        return allowed.getAsBoolean();
    }

    /** Whether it has not read what was written before. */
    boolean isFull() {
        return response.writeQueueFull();
    }

    void end() {
        if (isPacked) {
            response.write(Buffer.buffer(LAST_BLOCK).appendIntLE((int) crc.getValue()).appendIntLE(bytes));
        }
        response.end();
    }

    void reset() {
        response.reset();
    }

    void onEnd(Runnable ended) {
        response.closeHandler(closed -> ended.run());
        response.exceptionHandler(e -> ended.run());
    }
}
