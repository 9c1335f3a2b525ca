package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.CoreConfig;

class LogLimitsTest {
    private static final long GIB = 1L << 30;

    @TempDir
    Path folder;

    @Test
    void itsOwnFilesAreRoomForARelayThatComesBackOnItsLog() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve("19700101F.cq4").toFile(), "rw")) {
            file.setLength(1L << 40);
        }

        assertThat(LogLimits.DEFAULT.bytes(folder)).as("a terabyte of its own, whatever is free").isEqualTo(64 * GIB);
        assertThat(LogLimits.ofRoom(10 * GIB, 30 * GIB)).isEqualTo(LogLimits.ofRoom(40 * GIB, 0)).isEqualTo(30 * GIB);
    }

    @Test
    void whatIsGivenIsTheLimitWhateverThereIs() throws IOException {
        Files.write(folder.resolve("19700101F.cq4"), new byte[100]);

        assertThat(new LogLimits(GIB, 60, LogLimits.OnFull.WAIT).bytes(folder)).isEqualTo(GIB);
    }

    @Test
    void whatEightRanksMayHaveUnderWayFillsHalfOfALogThatIsLimited() {
        for (long limitBytes = 64 << 20; limitBytes <= 16 * GIB; limitBytes *= 2) {
            CoreConfig core = new LogLimits(limitBytes, 60, LogLimits.OnFull.WAIT).core(CoreConfig.DEFAULT, 2);
            assertThat(8 * core.underWayBytes(2) + core.sharedBytes()).isLessThanOrEqualTo(limitBytes / 2);
        }
        assertThat(new LogLimits(16 * GIB, 60, LogLimits.OnFull.WAIT).core(CoreConfig.DEFAULT, 2)).isEqualTo(CoreConfig.DEFAULT);
        assertThat(LogLimits.DEFAULT.core(CoreConfig.DEFAULT, 2)).isEqualTo(CoreConfig.DEFAULT);
    }
}
