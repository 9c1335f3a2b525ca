package org.posthouse.relay.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.CoreConfig;
import org.posthouse.wire.Wire;

class LogLimitsTest {
    private static final long GIB = 1L << 30;

    @TempDir
    Path folder;

    @Test
    void itsOwnFilesAreRoomForARelayThatComesBackOnItsLog() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve("19700101-00F.cq4").toFile(), "rw")) {
            file.setLength(1L << 40);
        }

        assertThat(LogLimits.DEFAULT.bytes(folder)).as("a terabyte of its own, whatever is free").isEqualTo(64 * GIB);
        assertThat(LogLimits.DEFAULT.bytes(10 * GIB, 30 * GIB)).isEqualTo(LogLimits.DEFAULT.bytes(40 * GIB, 0)).isEqualTo(30 * GIB);
    }

    @Test
    void givenLimitHoldsForNonEmptyFolder() throws IOException {
        Files.write(folder.resolve("19700101-00F.cq4"), new byte[100]);

        assertThat(new LogLimits(GIB, 60, LogLimits.OnFull.WAIT).bytes(folder)).isEqualTo(GIB);
    }

    @Test
    void bytesUnderWayOfEightRanksFillAtMostHalfOfLimitedLog() {
        for (long limitBytes = 64 << 20; limitBytes <= 16 * GIB; limitBytes *= 2) {
            CoreConfig core = limited(limitBytes, 2);
            assertThat(8 * core.underWayBytes(2) + core.sharedBytes()).isLessThanOrEqualTo(limitBytes / 2);
        }
        assertThat(8 * limited(256 << 20, 2).underWayBytes(2) + limited(256 << 20, 2).sharedBytes()).as("all of it").isEqualTo(128 << 20);
        assertThat(limited(16 * GIB, 2)).isEqualTo(CoreConfig.DEFAULT);
        assertThat(LogLimits.DEFAULT.core(CoreConfig.DEFAULT, 2)).isEqualTo(CoreConfig.DEFAULT);
    }

    @Test
    void windowsAreTwoWholeChunksAtLeastHoweverSmallTheLog() {
        assertThat(limited(64 << 20, 64).windowBytes()).isEqualTo(2L * Wire.PAYLOAD_BYTES_MAX);
        assertThat(limited(100_000_000, 2).windowBytes()).isEqualTo(5L * Wire.PAYLOAD_BYTES_MAX);
    }

    private static CoreConfig limited(long limitBytes, int cores) {
        return new LogLimits(limitBytes, 60, LogLimits.OnFull.WAIT).core(CoreConfig.DEFAULT, cores);
    }
}
