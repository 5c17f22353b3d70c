// The relay: simulate.sh of an xclbin starts it in the folder that the shim has unpacked. It connects the shim's
// sockets with the card of `weft card`, so that the card survives a reconfiguration. It ends when the card has closed
// or the program is gone; the shim waits for its end.
#include <fcntl.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "platform/card/xrt/complaint.h"
#include "platform/card/xrt/handover.h"
#include "platform/card/xrt/stopped.h"

namespace {

using namespace weft::xrt;

constexpr int kTickMs = 2;
constexpr int kDialTicks = 10'000 / kTickMs;  // the shim listens within milliseconds, unless it is stopped

void sleep_ms(int ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000L};
  nanosleep(&time, nullptr);
}

int connect_once(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  path.copy(address.sun_path, path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  close(socket);
  return -1;
}

int dial(const std::string& path, pid_t host) {
  for (int tick = 0; tick < kDialTicks && getppid() == host; sleep_ms(kTickMs)) {
    const int socket = connect_once(path);
    if (socket >= 0) return socket;
    if (!is_stopped(host)) ++tick;
  }
  return -1;
}

std::string content(const char* path) {
  std::string text;
  std::FILE* const file = std::fopen(path, "re");
  if (!file) return text;
  std::array<char, 4096> block{};
  while (text.size() <= kMaxBitstream) {
    const std::size_t got = std::fread(block.data(), 1, block.size(), file);
    if (got == 0) break;
    text.append(block.data(), got);
  }
  std::fclose(file);
  return text;
}

bool send_all(int socket, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = send(socket, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool hand_over(int card, int shim, pid_t host, const std::string& bitstream) {
  HandoverMessage handover;
  handover.head = {static_cast<unsigned>(host), static_cast<unsigned>(bitstream.size())};
  cmsghdr* const rights = CMSG_FIRSTHDR(&handover.message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &shim, sizeof shim);
  return sendmsg(card, &handover.message, MSG_NOSIGNAL) == sizeof handover.head &&
         send_all(card, bitstream.data(), bitstream.size());
}

// Ends the program, whose shim would wait for the card for ever. Empty `why`: the launcher knows the reason.
[[noreturn]] void end_host(pid_t host, const std::string& why) {
  if (getppid() != host) _exit(1);  // it has ended, which may be the reason
  if (!why.empty()) complain({1, why});
  kill(host, SIGKILL);
  _exit(1);
}

// Ends this program alone: another one has the card, which goes on.
[[noreturn]] void end_second_host(pid_t host) {
  std::fputs("weft: error: card: another program has the card; this one was ended\n", stderr);
  end_host(host, "");
}

// The shim's name for a load ends with its process number.
pid_t process_in(const std::string& id) {
  return std::atoi(id.c_str() + id.find_last_of('_') + 1);
}

// The shim's second socket, for the card's accesses to buffers in host memory: no kernel here makes any. The shim waits
// for a connection and for the header of a Close.
class HostMemory {
 public:
  explicit HostMemory(std::string path) : path_(std::move(path)) {}

  void connect() {
    if (socket_ < 0) socket_ = connect_once(path_);
  }
  bool connected() const { return socket_ >= 0; }
  void say_close() const {
    const std::array<char, 14> header{0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0x15, 1, 0, 0, 0};
    send_all(socket_, header.data(), header.size());
  }

 private:
  std::string path_;
  int socket_ = -1;
};

}  // namespace

int main() {
  // The program handles interrupts, as for the card.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(number, SIG_IGN);
  const pid_t host = getppid();
  const char* const user = std::getenv("USER");
  const char* const id = std::getenv("EMULATION_SOCKETID");
  const char* const card_path = std::getenv(kCardVariable);
  if (!user || !id || !card_path) end_host(host, "the program's environment is not that of weft card");
  if (host != process_in(id)) return 1;  // the program is gone, and this is another process
  const std::string folder = std::string("/tmp/") + user + "/";
  const std::string bitstream = content(kBitstreamFile);
  if (bitstream.size() > kMaxBitstream) end_host(host, "the xclbin's bitstream is larger than 1 MiB");

  const int shim = dial(folder + id, host);
  if (shim < 0) end_host(host, "the program's shim does not listen");
  const int card = connect_once(card_path);
  if (card < 0 || !hand_over(card, shim, host, bitstream)) {
    sleep_ms(1000);  // weft card ends the program itself and prints the reason, unless weft card is gone, too
    end_host(host, "");
  }
  const int mark = open((folder + kServedPrefix + id).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (mark >= 0) close(mark);
  const auto leave = [&] { return send_all(card, &kLeft, 1) ? 0 : 1; };

  HostMemory host_memory(folder + "D2X_unix_sock_" + id);
  for (;;) {
    host_memory.connect();
    std::array<pollfd, 2> events{pollfd{card, POLLIN, 0}, pollfd{shim, 0, 0}};
    if (poll(events.data(), events.size(), host_memory.connected() ? -1 : kTickMs) < 0 && errno != EINTR) return 1;
    if (events[0].revents != 0) break;
    if (events[1].revents != 0) return leave();  // the program is gone; the card sees it, too
  }
  char answer = 0;
  if (read(card, &answer, 1) != 1) {
    sleep_ms(1000);
    end_host(host, "");
  }
  if (answer == kInUse) end_second_host(host);
  if (answer == kRefused) end_host(host, "");  // the card has reported the reason
  for (int tick = 0; tick < kDialTicks && !host_memory.connected(); sleep_ms(kTickMs)) {
    host_memory.connect();
    if (!is_stopped(host)) ++tick;
  }
  host_memory.say_close();
  return leave();
}
