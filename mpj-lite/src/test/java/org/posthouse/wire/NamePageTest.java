package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Bodies about names in pages. */
class NamePageTest {
    private static NameAsk large(int bytes) {
        SortedMap<String, String> fields = new TreeMap<>();
        fields.put("field", "x".repeat(bytes));
        return new NameAsk(NameAsk.Operation.BIND, "a/b", 0, 7, 0, "", Collections.unmodifiableSortedMap(fields));
    }

    private static NamePage page(ByteBuffer frame) throws WireException {
        return NamePage.decode(frame);
    }

    @Test
    void theLargestRecordComesTogetherFromItsPages() throws WireException {
        NameAsk ask = large(64 * 1024 - 5);
        List<ByteBuffer> frames = NamePage.encode(FrameType.NAME_ASK, 5, 9, ask.encode());
        assertThat(frames).hasSize(3).allMatch(frame -> frame.remaining() <= FrameType.NAME_ASK.bytesMax());
        NameAssembly assembly = new NameAssembly(NameAsk.BYTES_MAX);
        assertThat(assembly.add(page(frames.get(0)))).isEmpty();
        assertThat(assembly.add(page(frames.get(1)))).isEmpty();
        Optional<ByteBuffer> body = assembly.add(page(frames.get(2)));
        assertThat(NameAsk.decode(body.orElseThrow())).isEqualTo(ask);
        ByteBuffer next = NamePage.encode(FrameType.NAME_ASK, 5, 10, NameAsk.of(NameAsk.Operation.LOOKUP, "n").encode()).get(0);
        assertThat(NameAsk.decode(assembly.add(page(next)).orElseThrow()).name()).isEqualTo("n");
    }

    @Test
    void aPageOutOfOrderIsRefused() throws WireException {
        List<ByteBuffer> frames = NamePage.encode(FrameType.NAME_ASK, 5, 9, large(64 * 1024 - 5).encode());
        NameAssembly assembly = new NameAssembly(NameAsk.BYTES_MAX);
        assembly.add(page(frames.get(0)));
        assertThatThrownBy(() -> assembly.add(page(frames.get(2)))).isInstanceOf(WireException.class).hasMessageContaining("expected question 9 with 1");
        ByteBuffer other = NamePage.encode(FrameType.NAME_ASK, 5, 10, large(1).encode()).get(0);
        assertThatThrownBy(() -> assembly.add(page(other))).isInstanceOf(WireException.class).hasMessageContaining("question 10");
    }

    @Test
    void aBodyThatIsTooLongIsRefused() throws WireException {
        ByteBuffer body = ByteBuffer.allocate(NameAsk.BYTES_MAX + 1);
        NameAssembly assembly = new NameAssembly(NameAsk.BYTES_MAX);
        List<ByteBuffer> frames = NamePage.encode(FrameType.NAME_ASK, 5, 9, body);
        assembly.add(page(frames.get(0)));
        assembly.add(page(frames.get(1)));
        assertThatThrownBy(() -> assembly.add(page(frames.get(2)))).isInstanceOf(WireException.class).hasMessageContaining("more than 71680 bytes");
        assertThatThrownBy(() -> large(NameAsk.BYTES_MAX).encode()).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCountThatCannotFollowIsRefused() {
        ByteBuffer body = NameAsk.of(NameAsk.Operation.LOOKUP, "n").encode();
        body.putInt(body.limit() - Integer.BYTES, Integer.MAX_VALUE);
        assertThatThrownBy(() -> NameAsk.decode(body)).isInstanceOf(WireException.class).hasMessageContaining("2147483647 fields");
    }
}
