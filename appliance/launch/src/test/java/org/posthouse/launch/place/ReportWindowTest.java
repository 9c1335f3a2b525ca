package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.wire.FrameType;

@Timeout(10)
class ReportWindowTest {
    private final ReportWindow window = new ReportWindow();

    @Test
    void hasRoomAgainWhenTheOldestReportIsAnswered() {
        assertThat(window.tryAdd(ReportWindow.BYTES_MAX - 100)).isTrue();
        assertThat(window.tryAdd(100)).isTrue();
        assertThat(window.tryAdd(1)).isFalse();
        window.answered();
        assertThat(window.tryAdd(ReportWindow.BYTES_MAX - 100)).isTrue();
        assertThat(window.tryAdd(1)).isFalse();
    }

    @Test
    void hasRoomForALongestReport() {
        assertThat(window.tryAdd(FrameType.JOB_REPORT.bytesMax())).isTrue();
    }

    @Test
    void isNotMadeLargerByAnswersToNothing() {
        window.answered();
        assertThat(window.tryAdd(ReportWindow.BYTES_MAX + 1)).isFalse();
    }
}
