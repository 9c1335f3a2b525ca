package org.posthouse.system;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/** A Slurm of this host alone: munged, slurmctld and a slurmd for each of three nodes with two processors, n1 to n3. */
final class SlurmCluster implements AutoCloseable {
    private static final int NODES = 3;
    private static final Duration START = Duration.ofSeconds(30);

    private final Path folder;
    private final List<Process> daemons = new ArrayList<>();

    private SlurmCluster(Path folder) {
        this.folder = folder;
    }

    /** Why there can be none here; empty if there can. */
    static String missing() {
        for (String program : List.of("munged", "slurmctld", "slurmd", "srun", "salloc")) {
            if (find(program) == null) {
                return "there is no " + program + " here: install slurm-wlm and munge";
            }
        }
        return "root".equals(System.getProperty("user.name")) ? "" : "slurmd runs as root only";
    }

    private static String find(String program) {
        return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
                .map(each -> each + "/" + program)
                .filter(each -> Files.isExecutable(Path.of(each)))
                .findFirst()
                .orElse(null);
    }

    /** @throws ConditionTimeoutException with what the daemons said, if its nodes do not come up */
    static SlurmCluster start(Path folder) throws IOException, InterruptedException {
        SlurmCluster cluster = new SlurmCluster(Files.createDirectories(folder));
        try {
            cluster.begin();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void begin() throws IOException, InterruptedException {
        byte[] key = new byte[128];
        new SecureRandom().nextBytes(key);
        Files.write(folder.resolve("key"), key);
        folder.resolve("key").toFile().setReadable(false, false);
        folder.resolve("key").toFile().setReadable(true, true);
        String host = InetAddress.getLocalHost().getHostName();
        StringBuilder nodes = new StringBuilder();
        for (int i = 1; i <= NODES; i++) {
            nodes.append("NodeName=n" + i + " NodeHostname=" + host + " NodeAddr=127.0.0.1 Port=" + Relays.freePort() + " CPUs=2\n");
        }
        Files.writeString(folder.resolve("slurm.conf"), """
                ClusterName=test
                SlurmctldHost=%2$s(127.0.0.1)
                SlurmctldPort=%3$d
                SlurmUser=root
                SlurmdUser=root
                AuthType=auth/munge
                AuthInfo=socket=%1$s/munge.socket
                CryptoType=crypto/munge
                StateSaveLocation=%1$s/state
                SlurmdSpoolDir=%1$s/spool-%%n
                SlurmctldPidFile=%1$s/slurmctld.pid
                SlurmdPidFile=%1$s/%%n.pid
                SlurmctldLogFile=%1$s/slurmctld.log
                SlurmdLogFile=%1$s/%%n.log
                ProctrackType=proctrack/linuxproc
                TaskPlugin=task/none
                SelectType=select/cons_tres
                SelectTypeParameters=CR_CPU
                SchedulerType=sched/builtin
                MpiDefault=none
                ReturnToService=2
                KillWait=2
                AccountingStorageType=accounting_storage/none
                JobAcctGatherType=jobacct_gather/none
                %4$sPartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
                """.formatted(folder, host, Relays.freePort(), nodes));
        Files.createDirectories(folder.resolve("state"));
        daemon("munged", "-F", "-f", "--key-file=" + folder + "/key", "--socket=" + folder + "/munge.socket", "--pid-file=" + folder + "/munge.pid",
                "--log-file=" + folder + "/munge.log", "--seed-file=" + folder + "/munge.seed", "--num-threads=2");
        await().atMost(START).until(() -> Files.exists(folder.resolve("munge.socket")) || !daemons.getFirst().isAlive());
        daemon("slurmctld", "-D");
        for (int i = 1; i <= NODES; i++) {
            daemon("slurmd", "-D", "-N", "n" + i);
        }
        await().atMost(START).until(() -> ask("sinfo", "-h", "-t", "idle", "-o", "%D").equals(Integer.toString(NODES)));
    }

    private void daemon(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(find(program)));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(folder.resolve(program + ".out").toFile());
        builder.environment().put("SLURM_CONF", conf());
        daemons.add(builder.start());
    }

    /** The file that SLURM_CONF names. */
    String conf() {
        return folder.resolve("slurm.conf").toString();
    }

    /** What a command of Slurm prints, errors too. */
    String ask(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SLURM_CONF", conf());
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        process.waitFor();
        return said;
    }

    /** Jobs that wait, run or end. */
    String jobs() throws IOException, InterruptedException {
        return ask("squeue", "-h");
    }

    @Override
    public void close() throws InterruptedException {
        for (Process daemon : daemons.reversed()) {
            daemon.destroy();
            if (!daemon.waitFor(5, TimeUnit.SECONDS)) {
                daemon.destroyForcibly().waitFor();
            }
        }
    }
}
