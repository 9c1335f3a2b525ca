package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ForeignProtocolTest {
    private static WireException header(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.allocate(Wire.HEADER_BYTES).put(bytes, 0, Math.min(bytes.length, Wire.HEADER_BYTES)).rewind();
        try {
            new FrameView().wrap(buffer, 0).checkHeader(Wire.HEADER_BYTES);
        } catch (WireException e) {
            return e;
        }
        throw new AssertionError("the header was taken");
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 400 Bad Request, an HTTP server is at the other end",
        "GET / HTTP/1.1, an HTTP client is at the other end",
        "SSH-2.0-OpenSSH_9.2, an SSH server or client is at the other end",
        "220 mail.example, the other end begins with the text \"220 \""
    })
    void wordsOfAnotherProtocolAreNamedInsteadOfAnImpossibleLength(String words, String said) {
        WireException refused = header(words.getBytes(StandardCharsets.US_ASCII));
        assertThat(refused).hasMessage("this is no Posthouse connection: " + said);
        assertThat(refused.reason()).isEqualTo(CloseReason.FRAME_TOO_LONG);
    }

    @Test
    void tlsIsNamed() {
        assertThat(header(new byte[] {0x16, 3, 1, 2, 0, 1})).hasMessageEndingWith("the other end speaks TLS");
        assertThat(header(new byte[] {0x15, 3, 3, 0, 2, 2})).hasMessageEndingWith("the other end speaks TLS");
    }

    @Test
    void bytesThatTellNothingAreALength() {
        ByteBuffer buffer = ByteBuffer.allocate(Wire.HEADER_BYTES).putInt(0, 0x7f000001);
        assertThatThrownBy(() -> new FrameView().wrap(buffer, 0).checkHeader(Wire.HEADER_BYTES))
                .hasMessage("frame length 2130706433, expected " + Wire.HEADER_BYTES + " to " + Wire.CHUNK_FRAME_BYTES_MAX);
    }
}
