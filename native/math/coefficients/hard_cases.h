// float32 inputs for which the float64 functions, rounded to float32, give the wrong neighbour, and the correct
// results.
#pragma once

namespace suanzi::coefficients {

struct HardCase {
  float x, result;
};
struct HardCases {
  const HardCase* list;
  int count;
};

inline constexpr HardCase hard_sin_list[] = {
    {0x1.33333p+13f, -0x1.63f4bap-2f},
    {-0x1.33333p+13f, 0x1.63f4bap-2f},
};
inline constexpr HardCases hard_sin{hard_sin_list, 2};
inline constexpr HardCase hard_cos_list[] = {
    {0x1.3170fp+63f, 0x1.fe2976p-1f},
    {0x1.2b9622p+67f, 0x1.f0285ep-1f},
    {-0x1.3170fp+63f, 0x1.fe2976p-1f},
    {-0x1.2b9622p+67f, 0x1.f0285ep-1f},
};
inline constexpr HardCases hard_cos{hard_cos_list, 4};
inline constexpr HardCases hard_tan{nullptr, 0};
inline constexpr HardCases hard_asin{nullptr, 0};
inline constexpr HardCase hard_acos_list[] = {
    {0x1.110b46p-26f, 0x1.921fb6p+0f},
    {0x1.04c444p-12f, 0x1.920f6ap+0f},
};
inline constexpr HardCases hard_acos{hard_acos_list, 2};
inline constexpr HardCase hard_atan_list[] = {
    {0x1.1ad646p-4f, 0x1.1a6386p-4f},
    {-0x1.1ad646p-4f, -0x1.1a6386p-4f},
};
inline constexpr HardCases hard_atan{hard_atan_list, 2};
inline constexpr HardCase hard_sinh_list[] = {
    {0x1.250bfep-11f, 0x1.250bfep-11f},
    {-0x1.250bfep-11f, -0x1.250bfep-11f},
};
inline constexpr HardCases hard_sinh{hard_sinh_list, 2};
inline constexpr HardCases hard_cosh{nullptr, 0};
inline constexpr HardCases hard_tanh{nullptr, 0};
inline constexpr HardCase hard_asinh_list[] = {
    {0x1.bacb4ap+24f, 0x1.1e0696p+4f},   {0x1.b121a6p+75f, 0x1.a9a3f2p+5f},   {0x1.6351d8p+94f, 0x1.08b512p+6f},
    {-0x1.bacb4ap+24f, -0x1.1e0696p+4f}, {-0x1.b121a6p+75f, -0x1.a9a3f2p+5f}, {-0x1.6351d8p+94f, -0x1.08b512p+6f},
};
inline constexpr HardCases hard_asinh{hard_asinh_list, 6};
inline constexpr HardCase hard_acosh_list[] = {
    {0x1.b121a6p+75f, 0x1.a9a3f2p+5f},
    {0x1.6351d8p+94f, 0x1.08b512p+6f},
};
inline constexpr HardCases hard_acosh{hard_acosh_list, 2};
inline constexpr HardCases hard_atanh{nullptr, 0};
inline constexpr HardCases hard_exp{nullptr, 0};
inline constexpr HardCases hard_expm1{nullptr, 0};
inline constexpr HardCase hard_log_list[] = {
    {0x1.827a74p-7f, -0x1.1c2b1ep+2f}, {0x1.2f1fd6p+3f, 0x1.1fcbcep+1f},  {0x1.bacb4ap+25f, 0x1.1e0696p+4f},
    {0x1.b121a6p+76f, 0x1.a9a3f2p+5f}, {0x1.6351d8p+95f, 0x1.08b512p+6f},
};
inline constexpr HardCases hard_log{hard_log_list, 5};
inline constexpr HardCase hard_log1p_list[] = {
    {0x1.800006p-21f, 0x1.7ffffep-21f},   {0x1.200036p-17f, 0x1.1fffe6p-17f},   {0x1.fb035ap-2f, 0x1.9bddc2p-2f},
    {0x1.0f1fd6p+3f, 0x1.1fcbcep+1f},     {0x1.b121a6p+76f, 0x1.a9a3f2p+5f},    {0x1.6351d8p+95f, 0x1.08b512p+6f},
    {-0x1.7ffffap-21f, -0x1.800002p-21f}, {-0x1.1fffcap-17f, -0x1.20001ap-17f}, {-0x1.1d9188p-9f, -0x1.1de14ap-9f},
};
inline constexpr HardCases hard_log1p{hard_log1p_list, 9};
inline constexpr HardCase hard_log10_list[] = {
    {0x1.fddcf4p-98f, -0x1.d33a46p+4f},
};
inline constexpr HardCases hard_log10{hard_log10_list, 1};
inline constexpr HardCases hard_log2{nullptr, 0};
inline constexpr HardCases hard_rsqrt{nullptr, 0};
inline constexpr HardCases hard_erf{nullptr, 0};
inline constexpr HardCase hard_erfc_list[] = {
    {-0x1.d93ec4p-17f, 0x1.00010ap+0f},
};
inline constexpr HardCases hard_erfc{hard_erfc_list, 1};

}  // namespace suanzi::coefficients
