package org.posthouse.bench.replicas;

/**
 * Processor time of all processes of a job and of its relay, each as {@link ProcessorTime} reads it, in microseconds.
 *
 * @param relay the relay's
 * @param leaders that of the processes that lead, both ranks together
 * @param followers that of the processes that follow, of both ranks
 */
record CpuTimes(double relay, double leaders, double followers) {
    static final CpuTimes NONE = new CpuTimes(0, 0, 0);

    double all() {
        return relay + leaders + followers;
    }

    CpuTimes minus(CpuTimes other) {
        return new CpuTimes(relay - other.relay, leaders - other.leaders, followers - other.followers);
    }

    CpuTimes plus(CpuTimes other) {
        return new CpuTimes(relay + other.relay, leaders + other.leaders, followers + other.followers);
    }

    CpuTimes per(double roundTrips) {
        return new CpuTimes(relay / roundTrips, leaders / roundTrips, followers / roundTrips);
    }
}
