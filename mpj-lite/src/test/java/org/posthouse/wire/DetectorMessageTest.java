package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.DetectorMessage.State;
import org.posthouse.wire.DetectorMessage.Update;

class DetectorMessageTest {
    private static final List<Update> NEWS = List.of(new Update(5, State.SUSPECT, 0xffff_ffffL, 2), new Update(4_095, State.ALIVE, 1, 4_095));

    @Test
    void messagesAreReadAsTheyWereWritten() throws WireException {
        List<DetectorMessage> all = List.of(
                new DetectorMessage.Ping(-7, List.of()), new DetectorMessage.Ping(1, NEWS), new DetectorMessage.PingRequest(2, 9, NEWS),
                new DetectorMessage.Ack(Long.MAX_VALUE, 0, List.of()));
        for (DetectorMessage message : all) {
            ByteBuffer encoded = message.encode();
            assertThat(encoded.remaining()).isEqualTo(message.bytes());
            assertThat(DetectorMessage.decode(encoded)).isEqualTo(message);
        }
        DetectorMessage.Beats beats = new DetectorMessage.Beats(new int[] {1, -1, 0});
        assertThat(((DetectorMessage.Beats) DetectorMessage.decode(beats.encode())).beats()).containsExactly(1, -1, 0);
        assertThat(new DetectorMessage.Beats(new int[DetectorMessage.HOSTS_MAX]).encode().remaining()).isEqualTo(16_387);
    }

    @Test
    void theBytesAreThoseOfTheDocument() {
        assertThat(hex(new DetectorMessage.Beats(new int[] {1, 258}))).isEqualTo("01" + "0002" + "00000001" + "00000102");
        assertThat(hex(new DetectorMessage.PingRequest(3, 4, List.of(new Update(5, State.SUSPECT, 6, 7)))))
                .isEqualTo("03" + "0000000000000003" + "0004" + "01" + "0005" + "01" + "00000006" + "0007");
    }

    private static String hex(DetectorMessage message) {
        ByteBuffer encoded = message.encode();
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void whatIsOutOfRangeIsRefused() {
        assertRefused("05", "detector message of kind 5, expected 1 to 4");
        assertRefused("0102ff", "detector message announces 767 beats in 0 bytes");
        assertRefused("01ffff", "detector message with beats of 65535 hosts, expected at most 4096");
        assertRefused("0200000000000000ff09", "detector message with 9 updates, expected at most 8");
        assertRefused("0400000000000000ff100000", "detector message with host 4096, expected less than 4096");
        assertRefused("0200000000000000ff01" + "0001" + "02" + "00000000" + "0000", "detector message with state 2, expected 0 to 1");
        assertRefused("0200000000000000ff0000", "detector message with 1 bytes too many");
        assertThatThrownBy(() -> new DetectorMessage.Ping(1, Collections.nCopies(9, NEWS.get(0))).encode())
                .hasMessage("a detector message with 9 updates, expected at most 8");
    }

    private static void assertRefused(String hex, String why) {
        assertThatThrownBy(() -> DetectorMessage.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)))).isInstanceOf(WireException.class).hasMessage(why);
    }
}
